// A proven request: its question is answered, or it is taken like that of any known caller. What the sender hears does
// not say what came of it: accepted, skipped, repeated and refused look the same.
import { catalogue, reasonOf } from "../../core/errors.ts";
import type { RequestCode } from "../../core/metrics.ts";
import { requestOf } from "../arrival.ts";
import type { HookRequest } from "../decide.ts";
import { noteAccepted, startHookSpan } from "../span.ts";
import { take, type Taken } from "../take.ts";
import { keepRefused } from "../unused.ts";
import type { Climb } from "./climb.ts";
import { deliveryKey } from "./delivery-key.ts";
import type { Answer } from "./handshake.ts";
import type { Proven } from "./kind.ts";
import type { Mapping } from "../mapping/compile.ts";
import type { Sender } from "./prepare.ts";
import { refuseProof } from "./refuse.ts";
import type { SenderRequest } from "./request.ts";

const usualAnswer: Answer = { status: 200, type: "application/json; charset=utf-8", body: '{"ok":true}' };

export async function takeProven(climb: Climb, request: SenderRequest, proven: Proven): Promise<void> {
  const { exchange, sender, ladder } = climb;
  const { kind, name } = sender;
  exchange.authenticated = true;
  exchange.span = startHookSpan(ladder.trace, exchange);
  ladder.senders.calls.note(name, "proven", proven.skewMs);
  for (const handshake of kind.handshakes ?? []) {
    if (!handshake.proven || !handshake.asks(request)) continue;
    const { fetchText } = ladder.senders;
    const answer = await handshake.answer(request, { secret: proven.secret, fetchText });
    if (answer === null) return refuseProof(climb, { failed: "malformed" });
    return ladder.responses.answer(exchange, answer, "handshake");
  }
  const { method, target, rawHeaders, body } = request;
  const address = ladder.clientAddress(exchange);
  const readJson = (): unknown => request.json();
  const sent = { sender, event: proven.event, delivery: proven.delivery?.id ?? null, readJson };
  const idempotency = deliveryKey(proven, kind, sender.toleranceSeconds);
  const asked = { method, target, rawHeaders, address, body, now: ladder.clock.now(), idempotency, sent };
  if (isPing(sender, proven.event, ladder.settings().mappings.list)) return answerPing(climb, asked);
  const taken = await take({ name, read: null }, asked, exchange.span, ladder);
  return answerTaken(climb, taken);
}

/** It only tries the connection, unless a mapping names it. */
export const isPing = ({ kind, name }: Sender, event: string | null, mappings: readonly Mapping[]): boolean =>
  event !== null &&
  kind.pings?.includes(event) === true &&
  !mappings.some(({ match }) => match.path === name && match.events?.includes(event) === true);

async function answerPing(
  { exchange, sender: { name, kind }, ladder }: Climb,
  asked: HookRequest,
): Promise<void> {
  const reason = "it is a ping, which tries the connection";
  const request = requestOf(name, asked, ladder.settings());
  await ladder.store.recordRequest({ request, outcome: "skipped", reason });
  ladder.responses.answer(exchange, kind.answer ?? usualAnswer, "skipped");
}

async function answerTaken({ exchange, sender, ladder }: Climb, taken: Taken): Promise<void> {
  const { responses, store } = ladder;
  const answer = (code: RequestCode): void =>
    responses.answer(exchange, sender.kind.answer ?? usualAnswer, code);
  switch (taken.kind) {
    case "repeated":
      return answer("replayed");
    case "nothing":
      // A transform that breaks may be mended before the sender tries again.
      return taken.nothing.outcome === "skipped" ? answer("skipped") : responses.noAction(exchange, "failed");
    case "refused": {
      const { refusal, request } = taken;
      if (catalogue[refusal.refused].status >= 500) {
        responses.refuse(exchange, refusal);
        return keepRefused(request, refusal, ladder);
      }
      await store.recordRequest({ request, outcome: "refused", reason: reasonOf(refusal) });
      return answer(refusal.refused);
    }
    case "accepted":
      noteAccepted(exchange.span, taken.acceptance);
      answer("accepted");
      ladder.onStored(taken.acceptance, taken.stored);
  }
}
