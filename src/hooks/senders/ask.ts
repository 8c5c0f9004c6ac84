// Handshakes on the ladder: which methods a path has, whether a request asks something, and the answer.
import type { Climb } from "./climb.ts";
import type { OpenHandshake } from "./handshake.ts";
import type { ProofFailure, SenderKind } from "./kind.ts";
import { refuseProof } from "./refuse.ts";
import type { SenderRequest } from "./request.ts";

const usualMethods = ["POST"];

const openHandshakes = ({ handshakes = [] }: SenderKind): OpenHandshake[] =>
  handshakes.filter((each) => !each.proven);

/** Those that events come by, and those of the questions. */
export function methodsOf(kind: SenderKind): { events: readonly string[]; all: readonly string[] } {
  const { methods: events = usualMethods } = kind;
  const asked = openHandshakes(kind).map(({ method }) => method);
  return { events, all: [...new Set([...events, ...asked])] };
}

/** The question that a request without a proof asks. */
export const questionOf = (
  { sender: { kind, settings }, head }: Climb,
  request: SenderRequest,
): OpenHandshake | undefined =>
  openHandshakes(kind).find((each) => each.method === head.method && each.asks(request, settings));

/** Whether a request without a proof may be a question, whose body is read to see. */
export const askable = (kind: SenderKind, { failed }: ProofFailure): boolean =>
  (failed === "header-missing" || failed === "not-paired") &&
  openHandshakes(kind).some(({ method }) => method === "POST");

/** What it is called when a question gets no answer: a key that nobody waited for, or a question that is not theirs. */
export const unanswered = ({ secret }: Pick<SenderKind, "secret">): ProofFailure => ({
  failed: secret.from === "pairing" ? "not-paired" : "malformed",
});

export async function answerQuestion(
  climb: Climb,
  question: OpenHandshake,
  request: SenderRequest,
): Promise<void> {
  const { sender, exchange, ladder } = climb;
  const pairing = ladder.senders.keys.pairing(sender);
  const answer = await question.answer(request, { settings: sender.settings, pairing });
  if (answer === null) return refuseProof(climb, unanswered(sender.kind));
  ladder.responses.answer(exchange, answer, "handshake");
}
