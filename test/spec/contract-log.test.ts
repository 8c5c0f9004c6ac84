// Contract, section 5, and specification, section 5, rule 7: nothing sensitive reaches the log.
import assert from "node:assert/strict";
import { forEachStore, program, startTestGateway } from "../support/gateway.ts";

forEachStore(
  "payload text, tokens, headers and replies never reach the log, at any level",
  async (t, store) => {
    const telling = program(
      "main",
      `const prompt = fs.readFileSync(0, "utf8");
     console.error("secret-of-the-program"); console.log("secret-reply");
     if (prompt.includes("break")) process.exitCode = 1;`,
    );
    const gateway = await startTestGateway(
      t,
      { hooks: { allowRequestSessionKey: true }, agents: { list: [telling] } },
      { store },
    );
    const headers = ["X-Private: secret-header", "Cookie: secret-cookie", "Idempotency-Key: secret-key"];
    await gateway.post("wake", { text: "secret-text" }, headers);
    await gateway.post("wake", { text: "secret-text too" }, headers);
    await gateway.post("wake", { text: "secret-text", mode: "secret-mode" }, headers);
    await gateway.post("wake", '{"text":"secret-broken', headers);
    await gateway.post("secret-name", {}, headers);
    await gateway.post("wake?token=secret-query", { text: "x" });
    await gateway.send({ target: "/secret-path?x=secret-query" });
    for (const header of ["Authorization: Bearer secret-wrong", "x-gateway-token: secret-wrong"])
      await gateway.send({ target: "/hooks/wake", headers: [header], body: "secret-body" });
    await gateway.raw("secret-nonsense\r\n\r\n").next();
    const fields = {
      name: "secret-name",
      agentId: "secret-agent",
      sessionKey: "secret-session",
      to: "secret-recipient",
      channel: "telegram",
      model: "secret-model",
      thinking: "secret-thinking",
      unknown: "secret-field",
    };
    for (const message of ["secret-message", "secret-message, break"]) {
      const { json } = await gateway.post("agent", { message, ...fields });
      await gateway.ended(json["runId"]);
    }
    await gateway.post("agent", { message: "m", channel: "secret-channel" });
    await gateway.waitFor("all events to be shown", async () =>
      (await gateway.events()).every(({ shownAt }) => shownAt !== null),
    );
    await gateway.restart();

    const log = gateway.logLines.join("");
    for (const expected of ["request accepted", "request refused", '"run"'])
      assert.ok(log.includes(expected), `the log tells of ${expected}`);
    assert.deepEqual(
      gateway.logLines.filter((line) => line.includes("secret")),
      [],
    );
    assert.ok(!log.includes(gateway.token));
    const own = gateway.token.slice(0, 12);
    assert.ok(!log.includes(own), "not even a part of the token");
  },
);
