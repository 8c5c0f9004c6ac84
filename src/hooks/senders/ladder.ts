// The ladder of a sender's path, in the order of docs/decisions/010-senders.md; the first rung that fails responds. No
// token of ours opens it. Whatever fails in a proof, the response is the 401 that an unknown name without a token gets.
import { isRefusal, refuse, stopping } from "../../core/errors.ts";
import type { Exchange } from "../../http/exchange.ts";
import { closesUnread } from "../../http/respond.ts";
import { answerQuestion, askable, methodsOf, questionOf } from "./ask.ts";
import type { Climb, SenderLadder } from "./climb.ts";
import type { ProofFailure } from "./kind.ts";
import type { Sender } from "./prepare.ts";
import { prove } from "./prove.ts";
import { refuseProof, refuseUnread } from "./refuse.ts";
import { senderRequest } from "./request.ts";
import { takeProven } from "./take-proven.ts";
import { announcedBytes, largestQuestion, readUnproven } from "./unproven.ts";

const noBody = Buffer.alloc(0);
const notPaired: ProofFailure = { failed: "not-paired" };

/** Waits for nothing before the body unless it must, for the reason that `../ladder.ts` gives. */
export async function climbAsSender(exchange: Exchange, sender: Sender, ladder: SenderLadder): Promise<void> {
  const { kind, settings } = sender;
  const { responses } = ladder;
  const { method = "", rawHeaders } = exchange.request;
  const head = { method, target: exchange.target, rawHeaders };
  const climb: Climb = { exchange, sender, head, ladder };

  const allowed = methodsOf(kind);
  if (!allowed.all.includes(method))
    return responses.refuse(exchange, refuse("method-not-allowed", { allow: allowed.all.join(", ") }));
  const bare = senderRequest(head, noBody);
  const question = method === "POST" ? undefined : questionOf(climb, bare);
  if (question !== undefined) return answerQuestion(climb, question, bare);
  if (!allowed.events.includes(method)) return refuseProof(climb, { failed: "malformed" });
  if (ladder.stopping()) return responses.refuse(exchange, stopping);

  const known = ladder.senders.keys.verifier(sender);
  const verifier = known instanceof Promise ? await known : known;
  const fault = verifier === null ? notPaired : verifier.checkHead(head, ladder.clock.now());
  if (fault !== null && !askable(kind, fault)) return refuseProof(climb, fault);
  const maxBytes = fault === null ? settings.maxBodyBytes : largestQuestion;
  if (announcedBytes(exchange) > maxBytes)
    return fault === null ? refuseUnread(climb, refuse("body-too-large")) : refuseProof(climb, fault);

  const closes = closesUnread(exchange);
  const read = await readUnproven(climb, maxBytes);
  if (read === null) return responses.callerGone(exchange);
  if (isRefusal(read)) return refuseUnread(climb, read);
  const request = senderRequest(head, read.body);
  const proof = fault ?? (await prove(climb, request, verifier!));
  read.release();
  if (isRefusal(proof)) return responses.refuse(exchange, proof);
  if (!("failed" in proof)) return takeProven(climb, request, proof);
  const asked = questionOf(climb, request);
  if (asked !== undefined) return answerQuestion(climb, asked, request);
  return refuseProof(climb, proof, closes);
}
