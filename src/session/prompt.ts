// What the model gets to see: the prompt of a hook run, and the prompt of a heartbeat with the events that wait.
import type { Run } from "../core/run.ts";
import type { SystemEvent } from "../core/system-event.ts";
import { cut, oneLine } from "../core/text.ts";
import { acknowledgementToken } from "./acknowledgement.ts";

export const longestBacklog = 100_000;
const mostEvents = 1000;
/** How many waiting events to read for a turn: one more than it can show, to know whether some are left. */
export const eventsToRead = mostEvents + 1;

export type HeartbeatPrompt = {
  prompt: string;
  shownEventIds: readonly string[];
  /** Events wait that this turn has no room for. */
  leftOver: boolean;
};

/** `events` oldest first. The token stands in the middle, so that the prompt itself never reads as a reply. */
export function heartbeatPrompt(
  events: readonly SystemEvent[],
  now: number,
  instructions: string | null = null,
): HeartbeatPrompt {
  const entries: string[] = [];
  const shownEventIds: string[] = [];
  let room = longestBacklog;
  for (const event of events.slice(0, mostEvents)) {
    const entry = eventEntry(event);
    if (entry.length > room && entries.length > 0) break;
    const shown = cutToRoom(entry, room);
    room -= shown.length;
    entries.push(shown);
    shownEventIds.push(event.id);
  }
  const opening =
    `This is a heartbeat of your main session. The time is ${new Date(now).toISOString()}. ` +
    `Look at the events below and do what they need. ` +
    `If nothing needs attention, reply with exactly ${acknowledgementToken}; otherwise reply with what your user should know.`;
  const backlog =
    entries.length === 0 ? "No events are waiting." : `Events, oldest first:\n\n${entries.join("\n\n")}`;
  return {
    prompt: withInstructions(instructions, `${opening}\n\n${backlog}`),
    shownEventIds,
    leftOver: shownEventIds.length < events.length,
  };
}

export const hookPrompt = (run: Pick<Run, "request">, instructions: string | null): string =>
  withInstructions(instructions, outsideText(run.request.message));

const withInstructions = (instructions: string | null, text: string): string =>
  instructions === null || instructions.trim() === "" ? text : `${instructions.trim()}\n\n${text}`;

function eventEntry({ createdAt, hook, text }: SystemEvent): string {
  const from = hook === null ? "" : ` hook ${oneLine(hook)}`;
  return `[${new Date(createdAt).toISOString()}]${from}\n${outsideText(text)}`;
}

function cutToRoom(entry: string, room: number): string {
  if (entry.length <= room) return entry;
  const mark = `… (cut: ${entry.length} characters in all)`;
  return cut(entry, room - mark.length) + mark;
}

/** All text from outside passes here on its way to a model: the place for the safety boundary of `untrusted/`. */
const outsideText = (text: string): string => text;
