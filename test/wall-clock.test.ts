// A wall clock can be set. Durations are measured by `Clock.monotonic()`, and stored moments by the store's own time;
// the files below read the wall clock, each for the reason given.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const readers: Readonly<Record<string, string>> = {
  "agents/http/http.ts": "signatures hold the time",
  "api/actions/replay.ts": "shows a time; templates show the time",
  "api/routes/hooks.ts": "templates show the time",
  "api/routes/replays.ts": "templates show the time",
  "channels/callback/callbacks.ts": "signatures hold the time",
  "channels/request.ts": "a Retry-After without the platform's Date",
  "cli/commands/check.ts": "templates show the time",
  "cli/commands/doctor.ts": "a login of Claude ends at a date of its maker's",
  "cli/commands/explain.ts": "templates show the time",
  "cli/commands/expose.ts": "shows a time",
  "cli/doctor/clock.ts": "checks this very clock",
  "cli/doctor/gmail.ts": "shows how long ago something was",
  "cli/doctor/work.ts": "counts the failures of the last day",
  "cli/gmail/setup.ts": "shows a date",
  "cli/gmail/status.ts": "shows how long ago something was",
  "cli/gmail/stop.ts": "Google's subscription ends now",
  "cli/gmail/test-mail.ts": "the date of a mail",
  "cli/requests/replay-many.ts": "templates show the time",
  "cli/send/signed.ts": "signatures hold the time",
  "core/clock.ts": "the clock itself",
  "gateway/services.ts": "templates show the time",
  "gmail-setup/token.ts": "what is signed for Google holds the time",
  "gmail-setup/watch-start.ts": "Google's subscription ends at a date of Google's",
  "hooks/ladder.ts": "templates show the time",
  "hooks/replay/replay.ts": "templates show the time",
  "hooks/result-ladder.ts": "the age of an id that nothing is kept under",
  "hooks/senders/ladder.ts": "a sender's signature holds the time",
  "hooks/senders/prove.ts": "a sender's signature holds the time",
  "hooks/senders/take-proven.ts": "templates show the time",
  "mail/gmail/auth.ts": "what is signed for Google holds the time",
  "mail/gmail/mailbox.ts": "dates of mail, and the date in a cursor, which nothing compares",
  "mail/gmail/push.ts": "Google's tokens end at a date of Google's",
  "mail/gmail/request.ts": "a Retry-After without Google's Date",
  "mail/imap/mailbox.ts": "dates of mail",
  "runner/input.ts": "a heartbeat's prompt shows the time",
  "sdk/client/verify.ts": "signatures hold the time",
  "store/postgres/transactions.ts": "a stand-in for the database's time, in tests",
  "store/sqlite/file.ts": "the store's own time",
  "store/sqlite/open.ts": "the store's own time",
  "store/sqlite/time.ts": "the store's own time",
};

const reads = /\bclock\.now\(|\bDate\.now\b|\bnew Date\(\)/;

test("only these files read the wall clock", () => {
  const files = globSync("src/**/*.ts", { cwd: root })
    .filter((file) => !/\.(test|contract)\.ts$/.test(file))
    .filter((file) => reads.test(readFileSync(`${root}/${file}`, "utf8")))
    .map((file) => file.replaceAll("\\", "/").slice("src/".length));
  assert.deepEqual(files.toSorted(), Object.keys(readers).toSorted());
});
