import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { GmailConfig } from "../../config/config.ts";
import { surroundings } from "../../../test/fixtures/gmail-mailbox.ts";
import { openGmail } from "./account.ts";

const dayMs = 86_400_000;
const limits = { maxAgeMs: 7 * dayMs, maxMessages: 500 };

async function open(t: Parameters<typeof surroundings>[0], more: Partial<GmailConfig> = {}) {
  const scene = await surroundings(t, more);
  const { mailbox } = openGmail(scene);
  /** The messages behind the cursor, and the next cursor. */
  const read = async (cursor: string) => {
    const changes = await mailbox.changes(cursor, scene.signal);
    if (changes.kind === "expired") throw new Error("it has expired");
    return changes;
  };
  const fetch = (id: string) => mailbox.fetch(id, scene.signal);
  return { ...scene, mailbox, read, fetch };
}

suite("changes in a Gmail mailbox", { concurrency: true }, () => {
  test("messages under the label behind the cursor are found over many pages, once each and in order", async (t) => {
    const { google, mailbox, read, signal } = await open(t);
    google.gmail.deliver();
    const start = await mailbox.baseline(signal);
    assert.ok(BigInt(start) > BigInt(Number.MAX_SAFE_INTEGER));
    google.gmail.state.pageSize = 3;
    const ids = Array.from({ length: 10 }, () => google.gmail.deliver());
    google.gmail.deliver({ labels: ["SENT"] });
    google.gmail.relabel(ids[4]!, { add: ["INBOX"] });
    assert.deepEqual((await read(start)).ids, ids);
  });

  test("reading starts a minute back, so that a message that became visible late is found", async (t) => {
    for (const reportsHidden of [false, true]) {
      const { google, mailbox, read, clock, signal } = await open(t);
      google.gmail.state.reportsHidden = reportsHidden;
      const start = await mailbox.baseline(signal);
      const late = google.gmail.deliver({ hidden: true });
      const soon = google.gmail.deliver();
      const first = await read(start);
      assert.deepEqual(first.ids, [soon]);
      await clock.advance(45_000);
      const second = await read(first.cursor);
      google.gmail.reveal();
      const third = await read(second.cursor);
      assert.deepEqual(third.ids, [late, soon]);
      await clock.advance(60_000);
      const fourth = await read(third.cursor);
      assert.deepEqual((await read(fourth.cursor)).ids, []);
    }
  });

  test("another label on a mail under ours is not new; our label on another mail is", async (t) => {
    const { google, mailbox, read, signal } = await open(t);
    const old = google.gmail.deliver();
    const archived = google.gmail.deliver({ labels: [] });
    const start = await mailbox.baseline(signal);
    google.gmail.relabel(old, { add: ["STARRED"] });
    assert.deepEqual((await read(start)).ids, []);
    google.gmail.relabel(archived, { add: ["INBOX"] });
    assert.deepEqual((await read(start)).ids, [archived]);
  });

  test("a cursor that Google no longer knows has expired", async (t) => {
    const { google, mailbox, signal } = await open(t);
    const start = await mailbox.baseline(signal);
    google.gmail.expireHistory();
    assert.deepEqual(await mailbox.changes(start, signal), { kind: "expired" });
    assert.equal((await mailbox.changes(await mailbox.baseline(signal), signal)).kind, "changes");
  });

  test("a label is found by its name", async (t) => {
    const { google, mailbox, read, signal } = await open(t, { label: "support" });
    const start = await mailbox.baseline(signal);
    google.gmail.deliver();
    const id = google.gmail.deliver({ labels: ["Label_7"] });
    assert.deepEqual((await read(start)).ids, [id]);
    assert.equal((await mailbox.fetch(id, signal)).kind, "mail");
    const { mailbox: other } = await open(t, { label: "none" });
    await assert.rejects(other.labelId(signal), { kind: "broken" });
  });
});

suite("catching up", { concurrency: true }, () => {
  test("catching up: since the last read, oldest first, within age and number, and how many were left out", async (t) => {
    const { google, mailbox, clock, signal } = await open(t);
    const at = (days: number) => google.gmail.deliver({ at: clock.now() - days * dayMs });
    at(12);
    const older = [at(9), at(8)];
    const kept = [at(6), at(3), at(1)];
    google.gmail.deliver({ at: clock.now() - dayMs, labels: ["SENT"] });
    const since = clock.now() - 10 * dayMs;
    const whole = await mailbox.catchUp(since, limits, signal);
    assert.deepEqual([whole.ids, whole.skipped], [kept, older.length]);
    assert.equal(whole.cursor, google.gmail.historyId());
    const two = await mailbox.catchUp(since, { ...limits, maxMessages: 2 }, signal);
    assert.deepEqual([two.ids, two.skipped], [kept.slice(1), 1 + older.length]);
    const recent = await mailbox.catchUp(clock.now() - 2 * dayMs, limits, signal);
    assert.deepEqual([recent.ids, recent.skipped], [kept.slice(2), 0]);
    const unknown = await mailbox.catchUp(null, limits, signal);
    assert.deepEqual([unknown.ids, unknown.skipped], [kept, 0]);
    assert.ok(
      google.requests.findIndex((each) => each.endsWith("/profile")) <
        google.requests.findIndex((each) => each.endsWith("/messages")),
    );
  });

  test("over many pages, the messages that are left out are counted", async (t) => {
    const { google, mailbox, clock, signal } = await open(t);
    const ids = Array.from({ length: 1203 }, (_, at) =>
      google.gmail.deliver({ at: clock.now() - (1203 - at) * 1000 }),
    );
    const found = await mailbox.catchUp(null, limits, signal);
    assert.deepEqual(found.ids, ids.slice(-500));
    assert.equal(found.skipped, 703);
  });
});

suite("reading a message", { concurrency: true }, () => {
  test("a mail is read with its texts, headers and attachments", async (t) => {
    const { google, fetch, clock } = await open(t);
    const id = google.gmail.deliver({
      from: "=?utf-8?B?w4RubmE=?= <anna@mail.test>",
      subject: "Zwölf\r\n Boxkämpfer",
      text: "Tom & Jerry <3\r\nsecond line",
      html: "<p>unused</p>",
      attachments: [{ name: "plan.pdf", type: "application/pdf", bytes: 12_345 }],
    });
    assert.deepEqual(await fetch(id), {
      kind: "mail",
      mail: {
        id,
        threadId: id,
        from: "Änna <anna@mail.test>",
        to: google.account,
        subject: "Zwölf Boxkämpfer",
        date: new Date(clock.now()).toISOString(),
        snippet: "Tom & Jerry <3 second line",
        body: "Tom & Jerry <3\nsecond line",
        bodyTruncated: false,
        labels: ["INBOX", "UNREAD"],
        attachments: [{ name: "plan.pdf", type: "application/pdf", bytes: 12_345 }],
      },
    });
  });

  test("HTML without plain text becomes text; a long text is loaded and cut", async (t) => {
    const { google, fetch } = await open(t, { maxBytes: 1000 });
    const bodyOf = async (mail: Parameters<typeof google.gmail.deliver>[0]) => {
      const fetched = await fetch(google.gmail.deliver(mail));
      if (fetched.kind !== "mail") throw new Error(fetched.kind);
      return fetched.mail;
    };
    assert.equal(
      (await bodyOf({ text: " ", html: "<p>One <b>two</b></p><p>three</p>" })).body,
      "One two\n\nthree",
    );
    const long = await bodyOf({ text: "x".repeat(30_000) });
    assert.equal(long.bodyTruncated, true);
    assert.ok(Buffer.byteLength(long.body) <= 1000 && long.body.startsWith("xxx"));
  });

  test("without bodies only the headers are fetched", async (t) => {
    const { google, fetch } = await open(t, { includeBody: false });
    const fetched = await fetch(google.gmail.deliver({ text: "secret text" }));
    if (fetched.kind !== "mail") throw new Error(fetched.kind);
    assert.deepEqual(
      [fetched.mail.body, fetched.mail.bodyTruncated, fetched.mail.snippet],
      ["", false, "secret text"],
    );
    assert.match(fetched.mail.subject, /^Mail /);
  });
});

suite("messages and accounts that are not ours", { concurrency: true }, () => {
  test("labels are checked again when a mail is read; very old mail is excluded, deleted mail is gone", async (t) => {
    const { google, fetch, clock } = await open(t);
    // A second for each call, because the quota follows the fake clock.
    const kindOf = async (id: string) => {
      await clock.advance(1000);
      return (await fetch(id)).kind;
    };
    const kinds: Record<string, string> = {};
    for (const label of ["SPAM", "TRASH", "DRAFT", "SENT"])
      kinds[label] = await kindOf(google.gmail.deliver({ labels: ["INBOX", label] }));
    kinds["archived"] = await kindOf(google.gmail.deliver({ labels: ["UNREAD"] }));
    kinds["old"] = await kindOf(google.gmail.deliver({ at: clock.now() - 366 * dayMs }));
    assert.deepEqual(new Set(Object.values(kinds)), new Set(["excluded"]), JSON.stringify(kinds));
    const gone = google.gmail.deliver();
    google.gmail.remove(gone);
    assert.equal(await kindOf(gone), "gone");
    assert.equal(await kindOf(google.gmail.deliver()), "mail");
  });

  test("a login for another account is refused", async (t) => {
    const { mailbox, signal } = await open(t, { account: "you@mail.test" });
    await assert.rejects(mailbox.baseline(signal), { kind: "reauth" });
  });
});
