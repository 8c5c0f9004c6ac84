// LISTEN and NOTIFY on a connection of its own: inside transactions, NOTIFY would serialise their commits.
//
//   closed ──listen──▶ connecting ──▶ listening ──connection lost──▶ backing off ──timer──▶ connecting
//
// Behind a pooler in transaction mode no announcement arrives; the nodes then only poll.
import pg from "pg";
import { type Change, changeKinds } from "../../core/change.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { newId } from "../../core/id.ts";
import { backOffMs } from "../../core/retry.ts";
import type { Notifier } from "../create/notifier.ts";
import type { Heard, Work } from "../ports/upkeep.ts";

const channel = "rouse_work";
const changesChannel = "rouse_changes";
/** PostgreSQL takes less than 8000, the id of the node included. */
const longestPayloadBytes = 7900;
/** Announcements of one kind within this time become one. */
const quietMs = 25;
const backOff = { firstMs: 200, longestMs: 5000 };

export type NotifierOptions = { url: string; clock?: Pick<Clock, "after">; random?: () => number };

export function createPostgresNotifier({
  url,
  clock = systemClock,
  random = Math.random,
}: NotifierOptions): Notifier {
  const self = newId();
  const resting = new Set<Work>();
  const wanted = new Set<Work>();
  let heard: Heard | null = null;
  let client: pg.Client | null = null;
  let failures = 0;
  let closed = true;
  let cancelTimer = () => {};

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: "rouse notifier",
      // An announcement does not wait for the one before.
      pipeline: true,
    });
    next.on("error", () => {});
    next.on("notification", ({ channel: from, payload = "" }) => {
      const at = payload.indexOf(" ");
      if (payload.slice(0, at) !== self) hear(from, payload.slice(at + 1));
    });
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
      await next.query(`listen ${changesChannel}`);
    } catch {
      return lose(next);
    }
    if (closed) return next.end();
    client = next;
    failures = 0;
    next.once("end", () => lose(next));
    // Announcements may have been missed meanwhile.
    for (const work of works) heard?.[work]();
    heard?.changes([{ kind: "many" }]);
  }

  function hear(from: string, text: string): void {
    if (from === changesChannel) heard?.changes(readChanges(text));
    else if (isWork(text)) heard?.[text]();
  }

  function lose(lost: pg.Client): void {
    client = null;
    void lost.end().catch(() => {});
    if (closed) return;
    cancelTimer = clock.after(backOffMs(++failures, backOff, random()), () => void connect());
  }

  function notify(to: string, text: string): void {
    client?.query("select pg_notify($1, $2)", [to, `${self} ${text}`]).catch(() => {});
  }

  function announce(work: Work): void {
    if (closed) return;
    if (resting.has(work)) return void wanted.add(work);
    resting.add(work);
    notify(channel, work);
    clock.after(quietMs, () => {
      resting.delete(work);
      if (wanted.delete(work)) announce(work);
    });
  }

  return {
    announce,
    announceChanges(changes) {
      if (!closed) notify(changesChannel, writeChanges(changes));
    },
    listen(listener) {
      heard = listener;
      closed = false;
      void connect();
    },
    async close() {
      closed = true;
      cancelTimer();
      await client?.end().catch(() => {});
    },
  };
}

const many = "many";

function writeChanges(changes: readonly Change[]): string {
  const told = changes.map((change) =>
    change.kind === "many" ? null : [change.kind, change.id, change.status],
  );
  const text = told.includes(null) ? many : JSON.stringify(told);
  return Buffer.byteLength(text) > longestPayloadBytes ? many : text;
}

/** What another version may tell in another form means that anything may have changed. */
function readChanges(text: string): Change[] {
  try {
    const told = JSON.parse(text) as unknown[];
    return told.map(readChange);
  } catch {
    return [{ kind: many }];
  }
}

function readChange(told: unknown): Change {
  const [kind, id, status] = Array.isArray(told) ? (told as unknown[]) : [];
  const known = changeKinds.find((each) => each === kind);
  if (known === undefined || typeof id !== "string") return { kind: many };
  return { kind: known, id, status: typeof status === "string" ? status : null };
}

const works: readonly Work[] = ["runs", "deliveries"];
const isWork = (text: string): text is Work => works.some((work) => work === text);
