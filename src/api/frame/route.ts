// A route of the admin API: what it takes, what it answers, and who handles it. The server checks requests by its
// schemas, and the OpenAPI document is made of them.
import type { z } from "zod";
import type { ErrorCode, Refusal } from "../../core/errors.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { ApiDeps } from "./deps.ts";

export type Method = "GET" | "POST" | "PUT";

/** What a handler gets. `actor`: who asks, as in the audit. */
export type Input<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  deps: ApiDeps;
  actor: string;
  exchange: Exchange;
};

export type JsonReply = { status: number; body: unknown; headers?: readonly string[] };
export type Reply =
  | JsonReply
  | { bytes: Uint8Array; headers?: readonly string[] }
  /** Writes the response itself, for as long as it likes. */
  | { stream: (exchange: Exchange, headers: readonly string[]) => void };

export type Answer =
  | { status: number; json: z.ZodType; headers?: readonly string[] }
  /** `mayBeEmpty`: also 204. */
  | { status: 200; type: "application/octet-stream" | "text/event-stream"; mayBeEmpty?: boolean };

/** A route whose calls are in the audit. */
export type Audited<Params, Body> = {
  verb: string;
  /** Ids, names or a filter. */
  subject: (params: Params, body: Body) => string;
};

type Checked<Params, Query, Body> = {
  params: z.ZodType<Params>;
  query: z.ZodType<Query>;
  /** Null: it has none. */
  body: z.ZodType<Body> | null;
};

export type RouteOptions<Params, Query, Body> = Partial<Checked<Params, Query, Body>> & {
  /** The name of the operation. */
  id: string;
  method: Method;
  /** Below `/api/v1`, with names in braces for its parameters. */
  path: string;
  summary: string;
  /** A body may be left out. */
  bodyOptional?: boolean;
  /** Null: it changes nothing. A function: it depends on the query. */
  audited?: Audited<Params, Body> & { unless?: (query: Query) => boolean };
  answer: Answer;
  /** Beyond those of every route. */
  refusals?: readonly ErrorCode[];
  handle: (input: Input<Params, Query, Body>) => Promise<Reply | Refusal>;
};

export type Route = RouteOptions<never, never, never> & { pattern: RegExp; names: readonly string[] };

const parameter = /\{(\w+)\}/g;

export function route<Params = unknown, Query = unknown, Body = unknown>(
  options: RouteOptions<Params, Query, Body>,
): Route {
  const { path } = options;
  const names = [...path.matchAll(parameter)].map(([, name]) => name!);
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(parameter, "([^/]+)")}$`);
  return { ...(options as unknown as RouteOptions<never, never, never>), pattern, names };
}

export const ok = (body: unknown, headers?: readonly string[]): JsonReply => ({
  status: 200,
  body,
  ...(headers && { headers }),
});
