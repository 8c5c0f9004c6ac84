// A mailbox in memory: tests put messages and faults into it, and read the calls.
import type { Fetched, Mail, Mailbox } from "../../src/mail/mailbox.ts";

export const account = "me@mail.test";

export const mailOf = (id: string): Mail => ({
  id,
  threadId: null,
  from: "Ann <ann@mail.test>",
  to: account,
  subject: `Mail ${id}`,
  date: "2026-01-01T00:00:00.000Z",
  snippet: "",
  body: "",
  bodyTruncated: false,
  labels: ["INBOX"],
  attachments: [],
});

type Verb = "baseline" | "changes" | "catchUp" | "fetch";

/** A cursor is the number of messages before it. */
export function createFakeMailbox() {
  const arrived: string[] = [];
  const faults: { verb: Verb; id: string | null; fault: unknown; times: number }[] = [];
  const calls: string[] = [];
  const state = {
    gone: new Set<string>(),
    excluded: new Set<string>(),
    /** Cursors before this one have expired. */
    oldest: 0,
    /** How many of the newest messages cannot be seen yet. */
    hidden: 0,
    skipped: 0 as number | null,
    /** Called while a message is read. */
    onFetch: async (_id: string): Promise<void> => {},
  };

  function call(verb: Verb, id: string | null = null): void {
    calls.push(id === null ? verb : `${verb} ${id}`);
    const found = faults.find((each) => each.verb === verb && (each.id === null || each.id === id));
    if (!found) return;
    found.times--;
    if (found.times === 0) faults.splice(faults.indexOf(found), 1);
    throw found.fault;
  }
  const visible = () => arrived.slice(0, arrived.length - state.hidden);

  const mailbox: Mailbox = {
    account,
    async baseline() {
      call("baseline");
      return String(visible().length);
    },
    async changes(cursor) {
      call("changes");
      if (Number(cursor) < state.oldest) return { kind: "expired" };
      return { kind: "changes", ids: visible().slice(Number(cursor)), cursor: String(visible().length) };
    },
    async catchUp(_since, { maxMessages }) {
      call("catchUp");
      return { ids: visible().slice(-maxMessages), cursor: String(visible().length), skipped: state.skipped };
    },
    async fetch(id, signal): Promise<Fetched> {
      call("fetch", id);
      await state.onFetch(id);
      signal.throwIfAborted();
      if (state.gone.has(id)) return { kind: "gone" };
      return state.excluded.has(id) ? { kind: "excluded" } : { kind: "mail", mail: mailOf(id) };
    },
  };
  return {
    mailbox,
    state,
    arrive: (...ids: string[]) => void arrived.push(...ids),
    fail: (
      verb: Verb,
      fault: unknown,
      { id = null, times = 1 }: { id?: string | null; times?: number } = {},
    ) => void faults.push({ verb, id, fault, times }),
    count: (what: string) => calls.filter((each) => each.startsWith(what)).length,
  };
}

export type FakeMailbox = ReturnType<typeof createFakeMailbox>;
