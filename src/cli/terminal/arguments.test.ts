import assert from "node:assert/strict";
import test from "node:test";
import { readArguments, readWholeNumber, refuseMore } from "./arguments.ts";
import { type Flags, WrongUsage } from "../command.ts";

const read = <const F extends Flags>(argv: readonly string[], flags: F) =>
  readArguments({ argv, folder: "/home/me" }, flags);

const flags = { to: { type: "string" }, json: { type: "boolean" } } as const;
const wrong = (argv: string[], message: RegExp) =>
  assert.throws(
    () => read(argv, flags),
    (fault) => fault instanceof WrongUsage && message.test(fault.message),
  );

test("options and positionals are separated", () => {
  assert.deepEqual(read(["a", "--to=x", "b", "--json", "--", "--to"], flags), {
    values: { to: "x", json: true },
    positionals: ["a", "b", "--to"],
  });
  assert.deepEqual(read(["--to", "-100123"], flags).values, { to: "-100123" });
  assert.deepEqual(read(["--to=--odd"], flags).values, { to: "--odd" });
  assert.deepEqual(read(["--to", "-"], flags).values, { to: "-" });
});

test("an option that may be repeated gives all its values", () => {
  const several = { header: { type: "string", multiple: true }, to: { type: "string" } } as const;
  assert.deepEqual(read(["--header", "a:1", "--to", "x", "--header=b:2", "--to", "y"], several), {
    values: { header: ["a:1", "b:2"], to: "y" },
    positionals: [],
  });
  assert.deepEqual(read([], several).values, {});
});

test("a path starts from the folder of the user, and - stays standard input", () => {
  const files = { file: { type: "string", file: true }, to: { type: "string" } } as const;
  const valuesOf = (...argv: string[]) => read(argv, files).values;
  assert.deepEqual(valuesOf("--file", "a.json", "--to", "b"), { file: "/home/me/a.json", to: "b" });
  assert.deepEqual(valuesOf("--file=../a.json"), { file: "/home/a.json" });
  assert.deepEqual(valuesOf("--file", "/a.json"), { file: "/a.json" });
  assert.deepEqual(valuesOf("--file", "-"), { file: "-" });
});

test("unknown options and values that do not fit are wrong usage", () => {
  wrong(["--jsno"], /--jsno.*--json/);
  wrong(["-x"], /-x/);
  wrong(["--__proto__"], /no option/);
  wrong(["--to"], /needs a value/);
  wrong(["--to", "--json"], /--to=VALUE/);
  wrong(["--json=yes"], /takes no value/);
  assert.throws(() => refuseMore(["a", "b"], 1), WrongUsage);
});

test("whole numbers stay within their limits", () => {
  assert.equal(readWholeNumber("--port", "0", 0, 65_535), 0);
  for (const written of ["65536", "-1", "1.5", "", "x", "1e3", "0x10"])
    assert.throws(() => readWholeNumber("--port", written, 0, 65_535), WrongUsage, written);
});
