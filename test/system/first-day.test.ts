// The README's "Start in a minute", in an empty home: a real gateway and the commands beside it. Nothing that a new
// user sees is called failed, and nothing warns.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test, type TestContext } from "node:test";
import { text } from "node:stream/consumers";
import { freePort } from "../support/debian.ts";
import { makeFolder } from "../support/folder.ts";
import { program, watchProcess } from "../support/process.ts";

async function startInEmptyHome(t: TestContext) {
  const home = makeFolder("first-day");
  const env = { ...process.env, ROUSE_HOME: home, ROUSE_CONFIG: undefined };
  const launch = (...args: string[]) => spawn(process.execPath, [program, ...args], { env });
  const gateway = watchProcess(launch("start", "--port", String(await freePort())));
  t.after(() => gateway.kill());
  const rouse = async (...args: string[]) => {
    const child = launch(...args);
    const [stdout, stderr, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on("close", resolve)),
    ]);
    return { stdout, stderr, code };
  };
  return { url: await gateway.ready, gateway, rouse };
}

test("a first Hello leaves nothing failed in runs, events, deliveries, doctor, metrics and the log", async (t) => {
  const { url, gateway, rouse } = await startInEmptyHome(t);

  const sent = await rouse("send", "agent", "Hello", "--wait");
  assert.equal(sent.code, 0, sent.stderr);
  assert.match(sent.stdout, /^\| Hello$/m, "the echo shows what an agent would see");
  assert.match(sent.stderr, /^Accepted as run \S+\n$/);

  const [run] = JSON.parse((await rouse("runs", "--json")).stdout) as Record<string, unknown>[];
  assert.deepEqual([run?.["status"], run?.["error"]], ["succeeded", null]);
  const [delivery, ...more] = JSON.parse((await rouse("deliveries", "--json")).stdout) as Record<
    string,
    unknown
  >[];
  const { runId, status, channel, to, error } = delivery ?? {};
  assert.deepEqual(
    { runId, status, channel, to, error, more },
    {
      runId: run?.["id"],
      status: "suppressed",
      channel: "last",
      to: null,
      error: "no channel is configured",
      more: [],
    },
  );

  const shown = await rouse("runs", "show", String(run?.["id"]));
  assert.match(shown.stdout, /^ +– +No delivery on last: no channel is configured$/m);
  for (const list of ["runs", "events", "deliveries"]) {
    const { stdout, code } = await rouse(list);
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /fail|not delivered|could not|warn/i);
  }
  const events = JSON.parse((await rouse("events", "--json")).stdout) as { text: string }[];
  assert.equal(events.length, 1);
  assert.ok(events[0]!.text.startsWith("Hook: ") && !events[0]!.text.includes("channel"));

  const doctor = await rouse("doctor");
  assert.equal(doctor.code, 0, doctor.stdout);
  assert.match(doctor.stdout, /0 deliveries failed/);
  assert.match(doctor.stdout, /^ok +channels: none/m);
  assert.doesNotMatch(doctor.stdout, /^(warn|fail) +(waiting work|channels|agent)/m);

  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^rouse_deliveries_total\{channel="last",outcome="suppressed"\} 1$/m);
  assert.doesNotMatch(metrics, /^rouse_\w+\{[^}]*outcome="(failed|unknown)"\} [1-9]/m);
  assert.deepEqual(
    gateway.log().filter(({ level }) => level !== "info"),
    [],
  );
});
