// A mailbox that is told what is in it, and a watch on it over a real store with a clock that stands still.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createFakeClock, eventually, type FakeClock } from "../../test/fakes/clock.ts";
import { makeFolder } from "../../test/support/folder.ts";
import type { Log } from "../core/log.ts";
import type { Decision } from "../hooks/decide.ts";
import { acceptance, run } from "../store/contract/harness.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import type { Store } from "../store/store.ts";
import { createMailWatch, type MailPayload, type MailWatch, type MailWatchOptions } from "./engine.ts";
import type { Fetched, Mail, Mailbox } from "./mailbox.ts";

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

/** Positions are plain counts. */
export function createTestMailbox() {
  const arrived: string[] = [];
  const faults: { verb: Verb; id: string | null; fault: unknown; times: number }[] = [];
  const calls: string[] = [];
  const state = {
    gone: new Set<string>(),
    excluded: new Set<string>(),
    /** Positions before it are no longer known. */
    oldest: 0,
    /** Of the newest, how many cannot be seen yet. */
    hidden: 0,
    skipped: 0 as number | null,
    /** Called while a message is being read. */
    onFetch: async (_id: string): Promise<void> => {},
  };

  function meet(verb: Verb, id: string | null = null): void {
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
      meet("baseline");
      return String(visible().length);
    },
    async changes(cursor) {
      meet("changes");
      if (Number(cursor) < state.oldest) return { kind: "expired" };
      return { kind: "changes", ids: visible().slice(Number(cursor)), cursor: String(visible().length) };
    },
    async catchUp(_since, { maxMessages }) {
      meet("catchUp");
      return { ids: visible().slice(-maxMessages), cursor: String(visible().length), skipped: state.skipped };
    },
    async fetch(id, signal): Promise<Fetched> {
      meet("fetch", id);
      await state.onFetch(id);
      signal.throwIfAborted();
      if (state.gone.has(id)) return { kind: "gone" };
      return state.excluded.has(id) ? { kind: "excluded" } : { kind: "mail", mail: mailOf(id) };
    },
  };
  return {
    mailbox,
    state,
    calls,
    arrive: (...ids: string[]) => void arrived.push(...ids),
    fail: (
      verb: Verb,
      fault: unknown,
      { id = null, times = 1 }: { id?: string | null; times?: number } = {},
    ) => void faults.push({ verb, id, fault, times }),
    count: (what: string) => calls.filter((each) => each.startsWith(what)).length,
  };
}

export type TestMailbox = ReturnType<typeof createTestMailbox>;

export const keyOf = (id: string): string => `hook:gmail:${id}`;

/** One run for each message. */
export const acceptMail = async ({ messages }: MailPayload): Promise<Decision> =>
  acceptance({ hook: "gmail", runs: messages.map(({ id }) => run({ key: keyOf(id) })) });

export const limits = { maxAgeMs: 604_800_000, maxMessages: 500 };
export const leaseMs = 15_000;

export type LogLine = { level: keyof Log; message: string; reason: string | undefined };

export type Lab = {
  store: Store;
  clock: FakeClock;
  box: TestMailbox;
  lines: LogLine[];
  /** Another watch on the same mailbox and store, as another node or a later process has it. */
  watch(more?: Partial<MailWatchOptions>): MailWatch;
  /** Session keys in order of arrival. */
  keys(): Promise<string[]>;
  /** How many looks have given back their lease. */
  released(): number;
  /** Moves the clock on once something waits for exactly this long. */
  wait(ms: number): Promise<void>;
};

export async function createLab(
  t: Pick<TestContext, "after">,
  open?: (clock: FakeClock) => Promise<Store>,
): Promise<Lab> {
  const folder = makeFolder("mail");
  const standing = createFakeClock();
  const delays = new Set<number>();
  const clock: FakeClock = {
    ...standing,
    after(delayMs, wake) {
      delays.add(delayMs);
      return standing.after(delayMs, wake);
    },
  };
  const store = await (open?.(clock) ?? openSqliteStore({ path: join(folder, "rouse.db"), clock, leaseMs }));
  let releases = 0;
  /** The watches' own view of the store: a lease that a test gives back itself is no look. */
  const watched: Store = {
    ...store,
    releaseMail: (held) => store.releaseMail(held).finally(() => void releases++),
  };
  const box = createTestMailbox();
  const lines: LogLine[] = [];
  const made: MailWatch[] = [];
  t.after(async () => {
    await Promise.all(made.map((each) => each.stop()));
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const note = (level: keyof Log) => (message: string, fields?: { reason?: string }) =>
    void lines.push({ level, message, reason: fields?.reason });
  return {
    store,
    clock,
    box,
    lines,
    watch(more = {}) {
      const watch = createMailWatch({
        source: "gmail",
        mailbox: box.mailbox,
        store: watched,
        decide: acceptMail,
        clock,
        log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
        pollMs: 30_000,
        leaseMs,
        limits,
        agentId: () => "main",
        onStored: () => {},
        remedy: "rouse gmail setup",
        isNewer: (position, cursor) => BigInt(position) > BigInt(cursor),
        random: () => 0.5,
        ...more,
      });
      made.push(watch);
      return watch;
    },
    keys: async () => {
      const runs = await store.listRuns({ limit: null, kind: "hook" });
      return runs.map(({ sessionKey }) => sessionKey).toReversed();
    },
    released: () => releases,
    async wait(ms) {
      await eventually(() => delays.has(ms), `a wait of ${ms} ms`);
      delays.delete(ms);
      await clock.advance(ms);
    },
  };
}
