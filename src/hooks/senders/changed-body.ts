// Why a signature does not fit: tries the body as it may have been before something on the way changed it. It is for the
// operator alone; the request is refused all the same.
import type { Clock } from "../../core/clock.ts";
import type { ProofDeps } from "./kind.ts";
import type { Sender } from "./prepare.ts";
import { type SenderRequest, senderRequest } from "./request.ts";

const largestBody = 65_536;
/** At most once in this time for each sender: a flood of wrong signatures must stay cheap. */
const everyMs = 5_000;

export type Diagnosis = {
  isChanged(sender: Sender, request: SenderRequest, deps: ProofDeps): Promise<boolean>;
};

export function createDiagnosis(clock: Pick<Clock, "monotonic">): Diagnosis {
  const triedAt = new Map<string, number>();
  return {
    async isChanged(sender, request, deps) {
      const now = clock.monotonic();
      if (request.body.length > largestBody || now - (triedAt.get(sender.name) ?? -Infinity) < everyMs)
        return false;
      triedAt.set(sender.name, now);
      for (const variant of variantsOf(request.body)) {
        const result = await sender.verifier.prove(senderRequest(request, variant), deps);
        if (!("failed" in result)) return true;
      }
      return false;
    },
  };
}

/** What proxies and frameworks do: other line ends, a line end more or less, JSON written anew. */
export function variantsOf(body: Buffer): Buffer[] {
  const text = body.toString("latin1");
  const found = [
    text.replace(/(?<![\r\n])[\r\n]+$/, ""),
    `${text}\n`,
    `${text}\r\n`,
    text.replaceAll("\r\n", "\n"),
    text.replaceAll(/\r?\n/g, "\r\n"),
  ].map((each) => Buffer.from(each, "latin1"));
  return [...found, ...rewritten(body)].filter((each) => !each.equals(body));
}

function rewritten(body: Buffer): Buffer[] {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    const spaced = JSON.stringify(value, null, 1).replaceAll(/,\n */g, ", ").replaceAll(/\n */g, "");
    const written = [JSON.stringify(value), spaced, JSON.stringify(value, null, 2)];
    return [...written, ...written.map(inAscii)].map((each) => Buffer.from(each, "utf8"));
  } catch {
    return [];
  }
}

const inAscii = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
