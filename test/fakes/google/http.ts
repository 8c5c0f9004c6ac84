// The responses of every part of the fake, and faults that replace them.
import type { IncomingMessage, ServerResponse } from "node:http";

export type Json = Record<string, unknown>;
export type Reply = { status: number; body: Json; headers?: Record<string, string> };

export type GoogleRequest = {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  token: string;
  form: URLSearchParams;
  json: Json;
};

/** Null: not mine. */
export type Part = (request: GoogleRequest) => Reply | Promise<Reply> | null;

export const ok = (body: Json = {}): Reply => ({ status: 200, body });

export const refused = (status: number, reason: string, message = reason, state = ""): Reply => ({
  status,
  body: {
    error: {
      code: status,
      message,
      status: state || reason,
      errors: [{ message, domain: "global", reason }],
    },
  },
});

export const notFound = (): Reply => refused(404, "notFound", "Requested entity was not found.", "NOT_FOUND");

export type Fault = {
  /** Of requests whose method and path contain this: `GET /gmail/v1/users/me/history`. */
  on: string;
  /** How many of them; otherwise all until it is removed. */
  times?: number;
  /** Only each n-th matching request. */
  every?: number;
} & ({ reply: Reply } | { reset: true });

/** The usual faults by their names. */
export const faultReplies = {
  rateLimit: refused(403, "rateLimitExceeded", "Rate Limit Exceeded", "PERMISSION_DENIED"),
  tooMany: {
    ...refused(429, "rateLimitExceeded", "Too many", "RESOURCE_EXHAUSTED"),
    headers: { "retry-after": "1" },
  },
  unauthorized: refused(401, "authError", "Invalid Credentials", "UNAUTHENTICATED"),
  unavailable: refused(503, "backendError", "Backend Error", "UNAVAILABLE"),
  scopes: refused(403, "insufficientPermissions", "Insufficient Permission", "PERMISSION_DENIED"),
} as const;

export function createFaults() {
  const faults: (Fault & { met: number })[] = [];
  return {
    add(fault: Fault): () => void {
      const entry = { ...fault, met: 0 };
      faults.push(entry);
      return () => void faults.splice(faults.indexOf(entry), 1);
    },
    find({ method, path }: GoogleRequest): Fault | null {
      const found = faults.find(({ on }) => `${method} ${path}`.includes(on));
      if (!found) return null;
      found.met++;
      if (found.every !== undefined && found.met % found.every !== 0) return null;
      if (found.times !== undefined && found.met >= found.times) faults.splice(faults.indexOf(found), 1);
      return found;
    },
  };
}

export async function readRequest(request: IncomingMessage): Promise<GoogleRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const url = new URL(request.url ?? "/", "http://fake");
  const isForm = (request.headers["content-type"] ?? "").startsWith("application/x-www-form-urlencoded");
  return {
    method: request.method ?? "GET",
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    token: (request.headers.authorization ?? "").replace(/^Bearer /i, ""),
    form: new URLSearchParams(isForm ? text : ""),
    json: !isForm && text !== "" ? (JSON.parse(text) as Json) : {},
  };
}

export function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...headers });
  response.end(JSON.stringify(body));
}
