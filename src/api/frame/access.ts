// Who may use the admin API: a caller with the gateway token, under a host name that is ours.
import type { Config } from "../../config/config.ts";
import { type Refusal, refuse } from "../../core/errors.ts";
import { isLoopback } from "../../core/loopback.ts";
import type { ClientAddress } from "../../http/client-address.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { Guard } from "../../http/guard.ts";
import { singleHeader } from "../../http/headers.ts";
import type { FailureCounter } from "../../http/shared-throttle.ts";

export type AccessSettings = {
  gateway: Pick<Config["gateway"], "host" | "publicHosts">;
  /** Checks `gateway.auth.token`; null where none is set. */
  guard: Guard | null;
  clientAddress: ClientAddress;
};

export type AccessDeps = {
  settings: () => AccessSettings;
  failures: FailureCounter;
  onFailure: () => void;
  /** Who a request comes from that is known otherwise than by the token, such as a session; null: nobody. */
  sessionOf?: (exchange: Exchange) => Promise<string | null>;
};

/** A page of someone else can reach this machine through a name of its own; that name then stands in `Host`. */
export function hostRefusal(
  { request }: Exchange,
  { gateway }: Pick<AccessSettings, "gateway">,
): Refusal | null {
  const host = singleHeader(request.rawHeaders, "host");
  const name = typeof host === "string" ? hostName(host) : "";
  const isOurs = isLoopback(name) || name === hostName(gateway.host) || gateway.publicHosts.includes(name);
  return isOurs ? null : refuse("misdirected-request");
}

const hostName = (written: string): string =>
  written
    .replace(/^\[(.*)\](?::\d*)?$/, "$1")
    .replace(/^([^:]*):\d*$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase();

/** What a caller with the token may call itself in the audit. It changes nothing else. */
const actorNames: ReadonlySet<unknown> = new Set(["mcp"]);

function nameOf(rawHeaders: readonly string[]): string {
  const name = singleHeader(rawHeaders, "x-rouse-actor");
  return typeof name === "string" && actorNames.has(name) ? name : "token";
}

/** Who asks, as it stands in the audit, or why they may not. */
export async function actorOf(exchange: Exchange, deps: AccessDeps): Promise<string | Refusal> {
  const { guard, clientAddress } = deps.settings();
  const { request } = exchange;
  const verdict = guard?.check(request.rawHeaders) ?? "wrong";
  if (verdict === "ok") return nameOf(request.rawHeaders);
  if (verdict === "repeated") return refuse("repeated-header");
  const session = await deps.sessionOf?.(exchange);
  if (session != null) return `session ${session}`;
  deps.onFailure();
  const seconds = await deps.failures.fail(clientAddress(request.socket.remoteAddress, request.rawHeaders));
  return seconds === null
    ? refuse("unauthorized")
    : refuse("too-many-failures", { retryAfterSeconds: seconds });
}
