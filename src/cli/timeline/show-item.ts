// One note and one delivery for people: what it is in a line, what became of it, and its text.
import type { Delivery } from "../../core/delivery.ts";
import { plainText } from "../../core/message.ts";
import type { SystemEvent } from "../../core/system-event.ts";
import { countWords, durationWords, listWords } from "../../timeline/words.ts";
import type { Context } from "../command.ts";
import { painter } from "../terminal/output.ts";
import { safeLine, safeText, wrap } from "../terminal/text.ts";
import { clockWords, dayWords } from "./lines.ts";

type Line = readonly [name: string, text: string | null];

export function printEvent(context: Context, event: SystemEvent): void {
  const { id, source, hook, sessionKey, createdAt, shownAt, requestId } = event;
  const what = { wake: "note of a wake", summary: "summary of a run", notice: "notice" }[source];
  printItem(context, `event ${id}, ${shownAt === null ? "waiting" : "shown"}`, plainText(event.text), [
    ["what", listWords([what, hook !== null && `hook ${hook}`, `session ${sessionKey}`])],
    ["stored", momentWords(createdAt)],
    [
      "shown",
      shownAt === null
        ? "not yet: the next turn of the main session shows it"
        : `${momentWords(shownAt)}, after ${durationWords(shownAt - createdAt)}`,
    ],
    ["request", requestId ?? null],
  ]);
}

export function printDelivery(context: Context, delivery: Delivery): void {
  const { id, runId, channel, to, status, attempts, sentMessages, createdAt, endedAt, error, fallback } =
    delivery;
  printItem(context, `delivery ${id}, ${status}`, delivery.text, [
    ["to", to === null ? channel : `${to} on ${channel}`],
    ["run", runId],
    ["stored", momentWords(createdAt)],
    [
      "ended",
      endedAt === null ? null : `${momentWords(endedAt)}, after ${durationWords(endedAt - createdAt)}`,
    ],
    ["tried", countWords(attempts, "time")],
    ["sent", `${countWords(sentMessages, "message")} known to be sent`],
    ["reason", error],
    [
      "fallback",
      fallback === null ? "none" : `${fallback.to ?? "the default recipient"} on ${fallback.channel}`,
    ],
  ]);
}

const momentWords = (at: number): string => `${dayWords(at)} ${clockWords(at)} UTC`;

const nameWidth = 10;

function printItem(context: Context, head: string, text: string, lines: readonly Line[]): void {
  const paint = painter(context);
  const { stdout, columns } = context;
  stdout.write(`${head}\n`);
  for (const [name, value] of lines) {
    if (value === null) continue;
    const [first, ...others] =
      columns === null ? [safeLine(value)] : wrap(safeLine(value), Math.max(20, columns - nameWidth));
    stdout.write(`${paint("dim", name.padEnd(nameWidth))}${first}\n`);
    for (const line of others) stdout.write(`${" ".repeat(nameWidth)}${line}\n`);
  }
  stdout.write("\n");
  for (const line of safeText(text).trimEnd().split("\n"))
    for (const part of columns === null ? [line] : wrap(line, Math.max(20, columns - 2)))
      stdout.write(`${paint("dim", "|")} ${part}`.trimEnd() + "\n");
}
