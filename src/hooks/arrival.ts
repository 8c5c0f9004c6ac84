// A request as it is kept: how it arrived, without what carries a secret.
import { catalogue, type Refusal } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import { type NewRequest, newRequest } from "../core/request.ts";
import type { HookRequest } from "./decide.ts";
import { visibleHeaders } from "./mapping/request.ts";
import { hasToken } from "./route.ts";
import type { HookSettings } from "./settings.ts";

/** A request whose caller is known. `body` null: it was not read. */
export type Arrived = Pick<
  HookRequest,
  "id" | "method" | "target" | "rawHeaders" | "address" | "credential" | "sent" | "replayOf"
> & { readonly body: Buffer | null; readonly bytes?: number };

/** An index holds no longer names, and this one may come from outside. */
const longestName = 200;

export function requestOf(
  hook: string,
  { id = newId(), method, target, rawHeaders, address, credential, sent, body, bytes, replayOf }: Arrived,
  { keep }: Pick<HookSettings, "keep">,
): NewRequest {
  const hidden = sent?.sender.hidden;
  const isBodyKept = keep.accepted && body !== null && body.length <= keep.largestBody;
  return newRequest({
    id,
    hook: hook.slice(0, longestName),
    origin: replayOf === undefined ? "http" : "replay",
    credential: sent?.sender.name ?? credential ?? null,
    arrival: {
      method,
      target: withoutSecrets(target, hidden?.query),
      address,
      bytes: body?.length ?? bytes ?? 0,
      headers: visibleHeaders(rawHeaders, hidden?.headers),
      event: sent?.event ?? null,
      delivery: sent?.delivery ?? null,
    },
    replayOf: replayOf ?? null,
    body: isBodyKept ? body : null,
  });
}

const noNames: ReadonlySet<string> = new Set();

/** Path and query, in which the values of secret parameters are left out. */
export function withoutSecrets(target: string, hidden: ReadonlySet<string> = noNames): string {
  const at = target.indexOf("?");
  if (at === -1) return target;
  const pairs = target.slice(at + 1).split("&");
  const isSecret = (pair: string): boolean =>
    hasToken(pair) || [...new URLSearchParams(pair).keys()].some((name) => hidden.has(name));
  const shown = pairs.map((pair) => (isSecret(pair) ? `${pair.split("=", 1)[0]}=` : pair));
  return `${target.slice(0, at)}?${shown.join("&")}`;
}

const kept: ReadonlySet<number> = new Set([400, 404, 413, 415, 422]);

/** What is kept of a refusal with a right token or proof; null: nothing. */
export function outcomeOf({ refused }: Refusal): "refused" | "full" | null {
  if (refused === "queue-full") return "full";
  return kept.has(catalogue[refused].status) ? "refused" : null;
}
