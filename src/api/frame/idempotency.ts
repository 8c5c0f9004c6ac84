// An `Idempotency-Key` at a POST: the same key gives the first response, and nothing is done twice.
//
// A key is claimed in the store before anything is done, and the response is stored under it afterwards. A key that was
// claimed and has no response belongs to a request that another node is doing, or whose gateway stopped: nobody knows
// whether it was done, and the response says so. A response of 503 is a response that may be different next time, so
// the next request with the key claims it anew.
import { hash } from "node:crypto";
import { type Refusal, refuse } from "../../core/errors.ts";
import { newId } from "../../core/id.ts";
import { type Acceptance, isGoodKey, type StoredResponse } from "../../core/request.ts";
import type { Exchange } from "../../http/exchange.ts";
import { repeated, singleHeader } from "../../http/headers.ts";
import type { Requests } from "../../store/ports/requests.ts";

export type IdempotencyStore = Pick<Requests, "accept" | "findRepeated">;

type Key = { key: string; fingerprint: string };

/** No hook can have these names. */
const begunUnder = "api:begun#";
const doneUnder = "api:done#";
const mostTries = 20;

/** Null: the request has no key. */
export function readKey({ request, target }: Exchange, body: Buffer): Key | Refusal | null {
  const key = singleHeader(request.rawHeaders, "idempotency-key");
  if (key === undefined) return null;
  if (key === repeated || !isGoodKey(key)) return refuse("invalid-idempotency-key");
  const fingerprint = hash(
    "sha256",
    Buffer.concat([Buffer.from(`${request.method} ${target}\n`), body]),
    "hex",
  );
  return { key, fingerprint };
}

/** `first`: whether this request did it. */
export type Once = { response: StoredResponse; first: boolean };

export async function once(
  store: IdempotencyStore,
  idempotency: Key,
  work: () => Promise<StoredResponse>,
): Promise<Once | Refusal> {
  for (let round = 0; round < mostTries; round++) {
    const claimed = await store.accept(
      entryOf(`${begunUnder}${round}`, idempotency, { status: 202, body: {} }),
    );
    if (claimed.kind === "mismatch") return refuse("idempotency-mismatch");
    if (claimed.kind === "stored") {
      const response = await work();
      await store.accept(entryOf(`${doneUnder}${round}`, idempotency, response));
      return { response, first: true };
    }
    const done = await store.findRepeated(`${doneUnder}${round}`, idempotency);
    if (done?.kind !== "replayed") return refuse("outcome-unknown");
    if (done.response.status !== 503) return { response: done.response, first: false };
  }
  return refuse("outcome-unknown");
}

const entryOf = (hook: string, idempotency: Key, response: StoredResponse): Acceptance => ({
  id: newId(),
  hook,
  request: null,
  events: [],
  runs: [],
  heartbeat: null,
  idempotency,
  response,
});
