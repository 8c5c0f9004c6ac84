import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogFields } from "../core/log.ts";
import { reportClockStep } from "./clock-steps.ts";

test("a step of the store's clock is one line with its length and what was moved", () => {
  const lines: (readonly [string, string, LogFields | undefined])[] = [];
  const at = (level: string) => (message: string, fields?: LogFields) =>
    void lines.push([level, message, fields]);
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const moved = { runs: 2, deliveries: 1, mails: 0 };
  reportClockStep(log, { stepMs: -3_600_000, moved });
  reportClockStep(log, { stepMs: 60_000, moved });
  reportClockStep(log, { stepMs: 0, moved });
  const reason = "2 runs, 1 deliveries, 0 mails";
  assert.deepEqual(lines, [
    [
      "warn",
      "the store's clock was set back; what waited was brought to the new time",
      { durationMs: 3_600_000, count: 3, reason },
    ],
    [
      "info",
      "the store's clock went forward, or this machine was suspended; leases stay valid",
      { durationMs: 60_000, count: 3, reason },
    ],
    ["warn", "the store's clock was set back; what waited was brought to the new time", { count: 3, reason }],
  ]);
});
