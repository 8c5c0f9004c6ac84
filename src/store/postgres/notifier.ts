// LISTEN and NOTIFY on a connection of its own: inside transactions, NOTIFY would serialise their commits.
//
//   closed ──listen──▶ connecting ──▶ listening ──connection lost──▶ backing off ──timer──▶ connecting
//
// Behind a pooler in transaction mode no announcement arrives; the nodes then only poll.
import pg from "pg";
import { type Clock, systemClock } from "../../core/clock.ts";
import { newId } from "../../core/id.ts";
import { backOffMs } from "../../core/retry.ts";
import type { Notifier } from "../create/notifier.ts";
import type { Work } from "../ports/upkeep.ts";

const channel = "rouse_work";
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
  let hear: (work: Work) => void = () => {};
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
    next.on("notification", ({ payload = "" }) => {
      const [from, work] = payload.split(" ");
      if (from !== self && isWork(work)) hear(work);
    });
    try {
      await next.connect();
      await next.query(`listen ${channel}`);
    } catch {
      return lose(next);
    }
    if (closed) return next.end();
    client = next;
    failures = 0;
    next.once("end", () => lose(next));
    // Announcements may have been missed meanwhile.
    for (const work of works) hear(work);
  }

  function lose(lost: pg.Client): void {
    client = null;
    void lost.end().catch(() => {});
    if (closed) return;
    cancelTimer = clock.after(backOffMs(++failures, backOff, random()), () => void connect());
  }

  function announce(work: Work): void {
    if (closed) return;
    if (resting.has(work)) return void wanted.add(work);
    resting.add(work);
    client?.query("select pg_notify($1, $2)", [channel, `${self} ${work}`]).catch(() => {});
    clock.after(quietMs, () => {
      resting.delete(work);
      if (wanted.delete(work)) announce(work);
    });
  }

  return {
    announce,
    listen(heard) {
      hear = (work) => heard[work]();
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

const works: readonly Work[] = ["runs", "deliveries"];
const isWork = (text: string | undefined): text is Work => works.some((work) => work === text);
