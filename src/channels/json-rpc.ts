// JSON-RPC 2.0, as signal-cli and imsg speak it.

export type RpcError = { kind: "error"; code: number; message: string; data: unknown };
export type RpcResponse = { kind: "result"; result: unknown } | RpcError;

/** The standard's codes for a request that was not understood: nothing was done. */
export const misunderstood: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602]);
export const methodNotFound = -32_601;

export const rpcRequest = (id: string, method: string, params: object) => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

type ResponseBody = { id?: unknown; method?: unknown; result?: unknown; error?: Fault };
type Fault = { code?: unknown; message?: unknown; data?: unknown } | null;

/** Null when it is no response to the request `id`. An error whose request could not be read has no id. */
export function readRpcResponse(json: unknown, id: string): RpcResponse | null {
  if (typeof json !== "object" || json === null) return null;
  const { id: of = null, method, result, error } = json as ResponseBody;
  if (typeof error?.code === "number" && (of === id || of === null)) {
    const message = typeof error.message === "string" ? error.message : "";
    return { kind: "error", code: error.code, message, data: error.data };
  }
  return of === id && method === undefined && result !== undefined ? { kind: "result", result } : null;
}
