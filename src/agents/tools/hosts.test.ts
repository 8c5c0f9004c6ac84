import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "./fault.ts";
import { allowedUrl } from "./hosts.ts";

const hosts = [
  "api.example.com",
  "*.docs.example",
  "ports.example:8443",
  "bücher.example",
  "[2606:4700::1111]",
  "1.1.1.1",
];

test("allowed hosts", () => {
  const allowed = [
    "https://api.example.com/a?b#c",
    "http://API.example.com:80/",
    "https://api.example.com:443/",
    "http://api.example.com:443/",
    "https://api.example.com\\@evil.example:1/",
    "https://a.docs.example/",
    "https://a.b.docs.example/",
    "https://ports.example:8443/",
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    "https://[2606:4700::1111]/",
    "https://1.1.1.1/",
    "https://0x01010101/",
  ];
  for (const written of allowed) assert.equal(allowedUrl(written, hosts).href, new URL(written).href);
});

test("other hosts are refused", () => {
  const refused = [
    "https://example.com/",
    "https://evil-api.example.com/",
    "https://api.example.com.evil.example/",
    "https://api.example.com:8443/",
    "https://api.example.com./",
    "https://docs.example/",
    "https://evildocs.example/",
    "https://ports.example/",
    "https://ports.example:8444/",
    "https://api.example.com@evil.example/",
    "http://127.0.0.1/",
    "http://localhost/",
  ];
  for (const written of refused) assert.throws(() => allowedUrl(written, hosts), Refusal, written);
  assert.throws(
    () => allowedUrl("https://evil.example/", hosts),
    /^Error: This host may not be asked\. Allowed are: api/,
  );
  assert.throws(() => allowedUrl("https://evil.example/", []), /No host is allowed/);
});

test("an empty or half-written entry allows nothing", () => {
  for (const entry of ["", "*", "*.", ":443", "https://api.example.com", "api.example.com/"])
    assert.throws(() => allowedUrl("https://api.example.com/", [entry]), Refusal, entry);
});

test("only http and https, without an account", () => {
  for (const written of ["file:///etc/passwd", "ftp://api.example.com/", "data:text/plain,x", "javascript:1"])
    assert.throws(() => allowedUrl(written, hosts), /begin with http/);
  for (const written of ["https://me@api.example.com/", "https://me:secret@api.example.com/"])
    assert.throws(() => allowedUrl(written, hosts), /name or password/);
  for (const written of ["", "api.example.com", "https://", "/page"])
    assert.throws(() => allowedUrl(written, hosts), /not a web address/);
});
