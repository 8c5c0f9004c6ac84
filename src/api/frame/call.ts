// One call of a route: its input is checked, it is done, and where it is a write it is audited, whatever came of it.
import { z } from "zod";
import {
  catalogue,
  faultKind,
  isRefusal,
  type Refusal,
  refuse,
  StoreUnavailable,
} from "../../core/errors.ts";
import type { AuditOutcome } from "../../core/audit.ts";
import { newId } from "../../core/id.ts";
import { cutWithMark } from "../../core/text.ts";
import type { StoredResponse } from "../../core/request.ts";
import type { KeyQueues } from "../../hooks/key-queues.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { ApiDeps } from "./deps.ts";
import { once, readKey } from "./idempotency.ts";
import { inTime } from "./in-time.ts";
import { problemBody } from "./problem.ts";
import { checkBody, checkParams, checkQuery } from "./read-input.ts";
import type { Reply, Route } from "./route.ts";

export type Call = {
  route: Route;
  params: Readonly<Record<string, string>>;
  query: string;
  bytes: Buffer;
  actor: string;
  exchange: Exchange;
  deps: ApiDeps;
  keyQueues: KeyQueues;
};

const noParameters = z.strictObject({});

/** As a route's functions take it: what it is, only the route's schemas know. */
type Checked = { params: never; query: never; body: never };

export async function perform(call: Call): Promise<Reply | Refusal> {
  const { route, exchange, deps, actor, bytes, keyQueues } = call;
  const checked = check(call);
  if (isRefusal(checked)) return route.audited ? audited(call, null, async () => checked) : checked;
  const handle = (): Promise<Reply | Refusal> => route.handle({ ...checked, deps, actor, exchange });
  const isWrite = route.audited !== undefined && route.audited.unless?.(checked.query) !== true;
  if (!isWrite) return inTime(deps.clock, handle());
  const write = (): Promise<Reply | Refusal> => audited(call, checked, handle);
  const key = route.method === "POST" ? readKey(exchange, bytes) : null;
  if (key === null) return write();
  if (isRefusal(key)) return key;
  return keyQueues.add(key.key, async () => {
    const done = await once(deps.store, key, async () => storable(await write().catch(refusalFor)));
    if (isRefusal(done)) return done;
    const { status, body } = done.response;
    return { status, body, headers: done.first ? [] : ["Idempotent-Replayed", "true"] };
  });
}

function check({ route, params, query, bytes }: Call): Checked | Refusal {
  const checked = {
    params: route.params ? checkParams(route.params, params) : params,
    query: checkQuery<unknown>(route.query ?? noParameters, query),
    body: route.body ? checkBody(route.body, bytes, route.bodyOptional === true) : null,
  };
  const refusal = [checked.params, checked.query, checked.body].find(
    (each) => typeof each === "object" && each !== null && "refused" in each,
  );
  return (refusal as Refusal | undefined) ?? (checked as Checked);
}

/** `checked` null: its input was refused. When the entry cannot be stored, what was done stays done. */
async function audited(
  { route, params, deps, actor }: Call,
  checked: Checked | null,
  work: () => Promise<Reply | Refusal>,
): Promise<Reply | Refusal> {
  const { verb, subject } = route.audited!;
  const about = checked === null ? Object.values(params).join(" ") : subject(checked.params, checked.body);
  const note = (outcome: AuditOutcome): Promise<void> =>
    deps.store
      .addAudit({ id: newId(), actor, verb, subject: cutWithMark(about, longestSubject) || "-", outcome })
      .catch((fault: unknown) =>
        deps.log.error("an audit entry could not be stored", { kind: faultKind(fault) }),
      );
  try {
    const reply = await work();
    await note(isRefusal(reply) ? outcomeOf(reply) : "done");
    return reply;
  } catch (fault) {
    await note("failed");
    throw fault;
  }
}

const longestSubject = 500;

const outcomeOf = ({ refused }: Refusal): AuditOutcome =>
  catalogue[refused].status < 500 ? "refused" : "failed";

/** A refusal is kept as the body that it is sent with. */
function storable(reply: Reply | Refusal): StoredResponse {
  if (isRefusal(reply)) return { status: catalogue[reply.refused].status, body: problemBody(reply) };
  if (!("body" in reply)) throw new Error("only JSON can be kept under an Idempotency-Key");
  return { status: reply.status, body: reply.body as StoredResponse["body"] };
}

export const refusalFor = (fault: unknown): Refusal =>
  fault instanceof StoreUnavailable
    ? refuse("store-unavailable", { retryAfterSeconds: 1 })
    : refuse("internal-error", {
        detail: "Something went wrong here. Look at what was done before you send it again.",
      });
