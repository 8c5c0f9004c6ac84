import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import { parse } from "jsonc-parser";
import { configOf, hookToken } from "../../../../test/fixtures/config.ts";
import { senderKinds } from "../kinds/index.ts";
import { prepareSenders } from "../prepare.ts";
import { senderRequest } from "../request.ts";
import { generatedPage } from "./generate.ts";
import { mark, senderPage, senderSettings } from "./reference.ts";

const { written, made } = generatedPage();

test("docs/senders.md is in step with the table", () => {
  assert.ok(written === made, "docs/senders.md is out of step: run `npm run generate`");
});

test("what is written by hand stays, and a page without the mark is refused", () => {
  assert.equal(senderPage(`# By hand\n${mark}\nold`).slice(0, 10), "# By hand\n");
  assert.throws(() => senderPage("# By hand"), /has lost its mark/);
});

test("each kind has its section, with what it checks, its steps and its retries", () => {
  for (const { id, describe: about } of senderKinds.values()) {
    const section = made.split(`\n### ${id}\n`)[1]?.split("\n### ")[0] ?? "";
    for (const text of [about.checks, about.retries, ...about.setUp]) assert.ok(section.includes(text), id);
    assert.doesNotMatch(section, /undefined|\.\.$/m, id);
  }
});

describe("the config lines of each section can be used", () => {
  const secretFor: Readonly<Record<string, string>> = {
    adyen: "44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056",
    basic: "name:password",
    stripe: "whsec_of_the_tests",
  };
  const publicKeyPem = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PUBLIC KEY-----`;
  const ecKey =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";
  for (const kind of senderKinds.values())
    test(kind.id, () => {
      const section = made.split(`\n### ${kind.id}\n`)[1]?.split("\n### ")[0] ?? "";
      const [, block = ""] = /```jsonc\n([\s\S]*?)\n```/.exec(section) ?? [];
      const { senders } = parse(`{${block}}`, [], { allowTrailingComma: true }) as { senders: object };
      assert.deepEqual(senders, { [kind.id]: senderSettings(kind) });
      const hex = "0123456789abcdef0123456789abcdef";
      const isSigned = kind.secret.shape?.says.includes("whsec_") ?? false;
      const secret = secretFor[kind.id] ?? (isSigned ? `whsec_${Buffer.from(hex).toString("base64")}` : hex);
      const config = configOf(
        {
          hooks: {
            enabled: true,
            token: hookToken,
            senders,
            mappings: [{ match: { path: kind.id }, messageTemplate: "x" }],
          },
        },
        {
          files: {
            [`/home/rouse/secrets/${kind.id}`]: secret,
            [`/home/rouse/secrets/${kind.id}.pem`]: kind.id === "sendgrid" ? ecKey : publicKeyPem,
            [`/home/rouse/secrets/${kind.id}-verify-token`]: "a-verify-token",
          },
        },
      );
      const prepared = prepareSenders(config.hooks.senders);
      assert.ok(prepared.ok, JSON.stringify(prepared));
    });
});

test("the worked example of a custom sender is proven as the page says, and nothing else is", async () => {
  const section = made.slice(made.indexOf("## A sender of your own"), made.indexOf(mark));
  const [, block = ""] = /```jsonc\n([\s\S]*?)\n```/.exec(section) ?? [];
  const [, request = ""] = /```text\n([\s\S]*?)\n```/.exec(section) ?? [];
  const config = configOf(withToken(parse(block, [], { allowTrailingComma: true }) as Written), {
    env: { SHOP_SECRET: "a secret of the shop" },
  });
  const prepared = prepareSenders(config.hooks.senders);
  assert.ok(prepared.ok, JSON.stringify(prepared));
  const { verifier, settings, kind } = prepared.senders.get("shop")!;
  assert.equal(kind.id, "custom");

  const [head = "", text = ""] = request.split("\n\n");
  const [, time = ""] = /^X-Shop-Time: (\d+)$/m.exec(head) ?? [];
  const mac = createHmac("sha256", "a secret of the shop").update(`${time}.${text}`).digest("hex");
  const now = Number(time) * 1000;
  const prove = async (body: string, at: number) => {
    const rawHeaders = ["X-Shop-Time", time, "X-Shop-Signature", `v1=${mac}`];
    const sent = senderRequest({ method: "POST", target: "/hooks/shop", rawHeaders }, Buffer.from(body));
    const fetchText = () => Promise.reject(new Error("unused"));
    const result = await verifier.prove(sent, { now: at, settings, fetchText });
    if ("failed" in result) return result;
    const { secret, delivery, event } = result;
    return { secret, delivery, event };
  };
  assert.deepEqual(await prove(text, now), {
    secret: "a secret of the shop",
    delivery: { id: "evt-1", signed: true },
    event: "order.paid",
  });
  assert.deepEqual(await prove(text.replace("4900", "1"), now), { failed: "wrong-secret" });
  assert.deepEqual(await prove(text, now + 301_000), { failed: "too-old", skewMs: -301_000 });
});

type Written = { hooks: object };

const withToken = ({ hooks }: Written) => ({ hooks: { enabled: true, token: hookToken, ...hooks } });
