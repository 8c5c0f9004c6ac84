// Contract, section 7: which bodies a hook takes, and what becomes of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { codeOf, lastRecord, mapping, messageOf, runOf } from "../support/mapped.ts";

const form = "Content-Type: application/x-www-form-urlencoded";
const xml = "Content-Type: application/xml";
const multipart = "Content-Type: multipart/form-data; boundary=b";
const post = (gateway: TestGateway, hook: string, body: string, ...headers: string[]) =>
  gateway.post(hook, body, headers);

test("forms, multipart and XML to mapped hooks", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: {
      mappings: [
        mapping("order", { messageTemplate: "{{ order.id }}: {{ order.item | join: ' and ' }}" }),
        mapping("sms", { messageTemplate: "{{ From }} wrote {{ Body }} {{ tag | json }}" }),
        mapping("mail", { messageTemplate: "{{ subject }}: {{ attachment.name }} {{ attachment.size }}" }),
        mapping("items", { forEach: "order.item", messageTemplate: "{{ order.item[0].sku }}" }),
        mapping("big", { messageTemplate: "{% for i in (1..30) %}{{ payload }}{% endfor %}" }),
        mapping("typed", {
          match: { path: "typed", payload: { "order.item[*].sku": "x", "order.total": { above: 9 } } },
        }),
      ],
    },
  });

  await t.test("a urlencoded form: its fields, repeated ones as a list", async () => {
    const response = await post(gateway, "sms", "From=%2B49&Body=a+b%26%C3%A4&tag=1&tag=2", form);
    assert.equal(await messageOf(gateway, response), '+49 wrote a b&ä ["1","2"]');
  });

  await t.test("a multipart form: fields, and files by name, type and size", async () => {
    const part = (head: string, content: string) =>
      `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
    const body = `${part('name="subject"', "Bill")}${part('name="attachment"; filename="a.pdf"', "x".repeat(200_000))}--b--`;
    assert.equal(
      await messageOf(gateway, await post(gateway, "mail", body, multipart)),
      "Bill: a.pdf 200000",
    );
  });

  await t.test("XML: elements and attributes as fields, one of an element or several", async () => {
    const body = '<?xml version="1.0"?><order id="7"><item>a</item><item>b</item></order>';
    assert.equal(await messageOf(gateway, await post(gateway, "order", body, xml)), "7: a and b");
    assert.equal(
      await messageOf(gateway, await post(gateway, "order", body, "Content-Type: text/xml; charset=UTF-8")),
      "7: a and b",
    );
  });

  await t.test("forEach and [*] take a single element as a list of one", async () => {
    const one = '<order><item sku="x"/><total>10</total></order>';
    const several = '<order><item sku="y"/><item sku="x"/></order>';
    const single = await post(gateway, "items", one, xml);
    assert.deepEqual([single.status, (single.json["runIds"] as string[]).length], [202, 1]);
    const run = await gateway.inspect.findRun((single.json["runIds"] as string[])[0]!);
    assert.match(JSON.stringify(run?.request.message), /"x"/);
    assert.equal(((await post(gateway, "items", several, xml)).json["runIds"] as string[]).length, 2);
    assert.deepEqual(codeOf(await post(gateway, "items", "<order/>", xml)), [400, "invalid-payload"]);
    assert.equal((await post(gateway, "typed", one, xml)).status, 202);
    assert.equal((await post(gateway, "typed", several, xml)).status, 204);
    assert.match((await lastRecord(gateway)).reason, /payload\.order\.total is missing, wanted above 9$/);
    const json = { order: { item: { sku: "x" } } };
    assert.deepEqual(codeOf(await gateway.post("items", json)), [400, "invalid-payload"], "JSON has lists");
  });

  await t.test("what takes long to render is rendered in a thread, from any body", async () => {
    const response = await post(gateway, "big", `a=${"x".repeat(20_000)}`, form);
    const [part] = (await runOf(gateway, response)).request.message;
    assert.equal((part as { text: string }).text, JSON.stringify({ a: "x".repeat(20_000) }));
  });

  await t.test("broken bodies are 400, and say what is wrong without their content", async () => {
    const cases: [hook: string, body: string, type: string, fault: RegExp][] = [
      ["sms", "a=%E4", form, /^is not in UTF-8$/],
      ["mail", "--b\r\nsecret", multipart, /^has a part whose headers/],
      ["mail", "secret", multipart, /^does not end with its boundary/],
      ["order", "<a><secret></a>", xml, /^is not well-formed XML, at line 1/],
      ["order", '<!DOCTYPE a [<!ENTITY b "secret">]><a>&b;</a>', xml, /^has a document type/],
    ];
    for (const [hook, body, type, fault] of cases) {
      const response = await post(gateway, hook, body, type);
      assert.deepEqual(codeOf(response), [400, "invalid-body"], body);
      const [detail] = response.json["details"] as { path: string; message: string }[];
      assert.equal(detail?.path, "body");
      assert.match(detail.message, fault);
      assert.doesNotMatch(response.text, /secret/);
    }
    assert.deepEqual(
      gateway.logLines.filter((line) => line.includes("secret")),
      [],
    );
  });

  await t.test("other types, other charsets and compressed bodies are 415", async () => {
    for (const type of [
      "Content-Type: text/html",
      "Content-Type: multipart/mixed; boundary=b",
      "Content-Type: multipart/form-data",
      "Content-Type: application/x-www-form-urlencoded; charset=ISO-8859-1",
      "Content-Type: text/xml; charset=utf-16",
    ])
      assert.deepEqual(
        codeOf(await post(gateway, "sms", "a=1", type)),
        [415, "unsupported-media-type"],
        type,
      );
    assert.deepEqual(codeOf(await post(gateway, "sms", "a=1", form, "Content-Encoding: gzip")), [
      415,
      "unsupported-encoding",
    ]);
  });

  await t.test("wake and agent take JSON only, and the response says what is taken", async () => {
    for (const hook of ["wake", "agent"])
      for (const type of [form, xml, multipart]) {
        const response = await post(gateway, hook, "text=x", type);
        assert.deepEqual(codeOf(response), [415, "unsupported-media-type"]);
        assert.match(String(response.json["error"]), /application\/json\. A mapped hook also takes/);
      }
  });
});
