// Stands in for `imsg rpc`: what it does with the line it gets is its first argument, and what it got it appends to the
// file that is its second.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [does = "", file = ""] = process.argv.slice(2);
const note = (entry: object) => appendFileSync(file, `${JSON.stringify(entry)}\n`);
const print = (line: string) => process.stdout.write(`${line}\n`);

type Request = { id: string; method: string; params: object };
const reply = ({ id }: Request, body: object) => print(JSON.stringify({ jsonrpc: "2.0", id, ...body }));

const ways: Record<string, (request: Request, written: string) => void> = {
  ok: (request) => reply(request, { result: { ok: true, guid: "8DF" } }),
  version: (request) => reply(request, { result: { version: "0.15.10", protocol_version: 1 } }),
  "not-ok": (request) => reply(request, { result: { ok: false } }),
  noise: (request) => {
    print("Welcome to mac");
    print("{ not json");
    print('"text"');
    print('{"jsonrpc":"2.0","method":"message","params":{"text":"someone wrote"}}');
    print('{"jsonrpc":"2.0","id":"another","result":{"ok":true}}');
    print("x".repeat(2_000_000));
    reply(request, { result: { ok: true } });
  },
  "without-line-break": ({ id }) => {
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { ok: true } }), () => process.exit(0));
  },
  "without-id": () => print('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'),
  hang: () => {},
  stubborn: () => process.on("SIGTERM", () => note({ asked: "to end" })),
  // The child holds standard output open and outlives its parent, unless the whole group is ended.
  family: () => {
    const child = spawn("sleep", ["600"], { stdio: "inherit" });
    note({ child: child.pid });
  },
  exit: () => {
    process.stderr.write("first line\nMessages is not running\n", () => process.exit(3));
  },
};

note({ args: process.argv.length, environment: Object.keys(process.env), group: process.pid });
if (does.startsWith("{")) {
  const error = JSON.parse(does) as object;
  ways[does] = (request) => reply(request, { error });
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const request = JSON.parse(line) as Request;
  note({ request });
  ways[does]?.(request, line);
});
