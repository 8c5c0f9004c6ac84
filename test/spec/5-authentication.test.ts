// Specification, section 5: the hook token.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { loadSettings, startTestGateway, type TestGateway } from "../support/gateway.ts";

const body = '{"text":"x","mode":"next-heartbeat"}';
const wrong = "Authorization: Bearer wrong-token-0123456789-abcdef";
const wake = (gateway: TestGateway, headers: readonly string[], target = "/hooks/wake") =>
  gateway.send({ target, headers, body });

async function expectAll(gateway: TestGateway, status: number, carriers: readonly (readonly string[])[]) {
  for (const headers of carriers) {
    const response = await wake(gateway, headers);
    assert.equal(response.status, status, `${headers.join(" + ")}: ${response.text}`);
  }
}

async function failTimes(gateway: TestGateway, times: number, headers: readonly string[] = [wrong]) {
  const statuses: number[] = [];
  for (let count = 0; count < times; count++) statuses.push((await wake(gateway, headers)).status);
  return statuses;
}

describe("authentication", { concurrency: 4 }, () => {
  test("the token and its carriers", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { authFailures: { max: 1000 } } });

    await t.test("the token is accepted as Authorization: Bearer, the scheme in any case", async () => {
      const { token } = gateway;
      await expectAll(gateway, 200, [
        [`Authorization: Bearer ${token}`],
        [`authorization: bearer ${token}`],
        [`AUTHORIZATION: BEARER   ${token} `],
      ]);
    });

    await t.test("the token is accepted as x-gateway-token", async () => {
      await expectAll(gateway, 200, [
        [`x-gateway-token: ${gateway.token}`],
        [`X-Gateway-Token: ${gateway.token}`],
      ]);
    });

    await t.test("a non-empty Bearer decides; otherwise x-gateway-token", async () => {
      const right = `x-gateway-token: ${gateway.token}`;
      await expectAll(gateway, 200, [
        ["Authorization: Bearer", right],
        ["Authorization: Bearer   ", right],
        ["Authorization:", right],
        ["Authorization: Basic dXNlcjpwYXNz", right],
        [`Authorization: Bearer ${gateway.token}`, "x-gateway-token: wrong"],
      ]);
      await expectAll(gateway, 401, [[wrong, right]]);
    });

    await t.test(
      "failed authentication returns 401: a missing token is a failure like a wrong one",
      async () => {
        const { token } = gateway;
        const before = await gateway.events();
        await expectAll(gateway, 401, [
          [],
          [wrong],
          ["Authorization: Bearer"],
          [`Authorization: ${token}`],
          [`Authorization: Basic ${token}`],
          [`Authorization: Bearer ${token}x`],
          [`Authorization: Bearer ${token.slice(0, -1)}`],
          [`Authorization: Bearer ${token.toUpperCase()}`],
          ["x-gateway-token:"],
          ["x-gateway-token: wrong"],
          [`Cookie: token=${token}`],
        ]);
        const { json } = await wake(gateway, []);
        assert.equal(json["code"], "unauthorized");
        assert.deepEqual(await gateway.events(), before, "nothing is stored");
      },
    );

    await t.test("two of the same header are 400, even when both are right", async () => {
      for (const header of [`Authorization: Bearer ${gateway.token}`, `x-gateway-token: ${gateway.token}`]) {
        const { status, json } = await wake(gateway, [
          header,
          header.toLowerCase().replace(gateway.token.toLowerCase(), gateway.token),
        ]);
        assert.deepEqual([status, json["code"]], [400, "repeated-header"]);
      }
    });

    await t.test(
      "a token in the query string is 400, in any case, whatever its value, even with a right header",
      async () => {
        const right = `Authorization: Bearer ${gateway.token}`;
        const queries = [
          `token=${gateway.token}`,
          "token=",
          "token",
          "Token=x",
          "TOKEN=x",
          "a=1&token=x",
          "%74oken=x",
        ];
        for (const query of queries)
          for (const headers of [[right], []]) {
            const { status, json } = await wake(gateway, headers, `/hooks/wake?${query}`);
            assert.deepEqual([status, json["code"]], [400, "token-in-query"], query);
          }
      },
    );

    await t.test("other query parameters are no tokens", async () => {
      for (const query of ["a=token", "tokens=x", "my-token=x", ""])
        assert.equal(
          (await wake(gateway, [`Authorization: Bearer ${gateway.token}`], `/hooks/wake?${query}`)).status,
          200,
        );
    });
  });

  test("20 failures within the window are 401, then 429 with a Retry-After in whole seconds", async (t) => {
    const gateway = await startTestGateway(t);
    assert.deepEqual(await failTimes(gateway, 20), Array(20).fill(401));
    const { status, json, headers } = await wake(gateway, [wrong]);
    assert.deepEqual([status, json["code"]], [429, "too-many-failures"]);
    assert.match(headers["retry-after"] ?? "", /^[1-9]\d*$/);
    assert.ok(Number(headers["retry-after"]) <= 60);
    assert.equal((await wake(gateway, [])).status, 429);
  });

  test("a right token is always served, and does not lift the limit", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { authFailures: { max: 2 } } });
    assert.deepEqual(await failTimes(gateway, 3), [401, 401, 429]);
    assert.equal((await gateway.post("wake", body)).status, 200);
    assert.deepEqual(await failTimes(gateway, 1), [429]);
  });

  test("a request that is refused before the token check counts as no failure", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { authFailures: { max: 1 } } });
    for (let count = 0; count < 3; count++) {
      assert.equal((await wake(gateway, [wrong], "/hooks/wake?token=x")).status, 400);
      assert.equal(
        (await gateway.send({ method: "GET", target: "/hooks/wake", headers: [wrong] })).status,
        405,
      );
      assert.equal((await wake(gateway, [wrong], "/elsewhere")).status, 404);
    }
    assert.deepEqual(await failTimes(gateway, 2), [401, 429]);
  });

  test("the limit ends when the window has passed", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { authFailures: { max: 1, windowSeconds: 0.5 } } });
    const limited = await gateway.waitFor("a limited response", async () => {
      const response = await wake(gateway, [wrong]);
      return response.status === 429 && response;
    });
    assert.equal(limited.headers["retry-after"], "1");
    await gateway.waitFor("the window's end", async () => (await wake(gateway, [wrong])).status === 401);
  });

  test("failures count per client address, as a trusted proxy tells it, read from the right", async (t) => {
    const gateway = await startTestGateway(t, {
      gateway: { trustedProxies: ["127.0.0.0/8"] },
      hooks: { authFailures: { max: 1 } },
    });
    const from = (address: string) => [wrong, `X-Forwarded-For: ${address}`];
    assert.deepEqual(await failTimes(gateway, 2, from("203.0.113.5")), [401, 429]);
    assert.deepEqual(await failTimes(gateway, 2, from("203.0.113.6")), [401, 429]);
    assert.deepEqual(await failTimes(gateway, 1, from("198.51.100.1, 203.0.113.6")), [429]);
    assert.deepEqual(await failTimes(gateway, 1, from("::ffff:203.0.113.6")), [429], "IPv4-mapped as IPv4");
    assert.deepEqual(await failTimes(gateway, 1, from("2001:db8:1:2::1")), [401]);
    assert.deepEqual(await failTimes(gateway, 1, from("2001:db8:1:2:3::9")), [429], "IPv6 by /64");
    assert.deepEqual(await failTimes(gateway, 1, from("2001:db8:1:3::1")), [401]);
  });

  test("X-Forwarded-For of anyone else does not count", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { authFailures: { max: 1 } } });
    assert.deepEqual(await failTimes(gateway, 1, [wrong, "X-Forwarded-For: 203.0.113.5"]), [401]);
    assert.deepEqual(await failTimes(gateway, 1, [wrong, "X-Forwarded-For: 203.0.113.6"]), [429]);
  });

  test("hooks.token may be a list while a token is being rotated: each of them counts", async (t) => {
    const tokens = ["old-token-0123456789-abcdefgh", "new-token-0123456789-abcdefgh"];
    const gateway = await startTestGateway(t, { hooks: { token: tokens } });
    await expectAll(
      gateway,
      200,
      tokens.flatMap((each) => [[`Authorization: Bearer ${each}`], [`x-gateway-token: ${each}`]]),
    );
    await expectAll(gateway, 401, [[wrong], [`Authorization: Bearer ${tokens.join(",")}`]]);
  });

  const problems = (t: TestContext, hookToken: unknown) => {
    const own = "the-services-own-token-0123456789";
    const loaded = loadSettings(t, {
      gateway: { auth: { token: own } },
      hooks: { enabled: true, token: hookToken },
    });
    return loaded.ok ? [] : loaded.problems.map(({ path }) => path);
  };

  test("the hook token must be dedicated: the service's own token is a config error", (t) => {
    assert.deepEqual(problems(t, "the-services-own-token-0123456789"), ["hooks.token"]);
    assert.deepEqual(problems(t, ["a-token-of-its-own-0123456789", "the-services-own-token-0123456789"]), [
      "hooks.token[1]",
    ]);
    assert.deepEqual(problems(t, "a-token-of-its-own-0123456789"), []);
  });

  test("the service's own token opens no hook", async (t) => {
    const own = "the-services-own-token-0123456789";
    const gateway = await startTestGateway(t, { gateway: { auth: { token: own } } });
    await expectAll(gateway, 401, [[`Authorization: Bearer ${own}`], [`x-gateway-token: ${own}`]]);
  });

  test("a token under 24 characters is a warning", (t) => {
    const warned = (token: string) =>
      loadSettings(t, { hooks: { enabled: true, token } }).warnings.some(
        ({ path }) => path === "hooks.token",
      );
    assert.equal(warned("x".repeat(23)), true);
    assert.equal(warned("x".repeat(24)), false);
  });
});
