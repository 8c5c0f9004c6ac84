// Mistakes that the start meets: the home, the store, the port.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { config } from "./config.ts";
import type { Mistake } from "./mistake.ts";

const at = (gateway: string): string => config("", `"gateway": { ${gateway} }`);
const stored = (url: string): string => config("", `"store": { "url": "${url}" }`);

export const homeMistakes: Mistake[] = [
  {
    name: "the wrong folder: there is no config",
    command: ["check", "--config", "rouse.jsonc"],
    code: 1,
    says: "There is no config at CWD/rouse.jsonc. Make one with: rouse init (or name another with --config FILE)",
  },
  {
    name: "a start with mistakes in the config",
    config: config('"paht": "/in"').replace("true", '"yes"'),
    command: ["start"],
    code: 1,
    says: "HOME/rouse.jsonc cannot be used:\n  hooks.enabled: must be true or false, not text (line 3, column 5)\n  hooks.paht: unknown setting `paht`; did you mean `path`? (line 5, column 5)",
  },
  {
    name: "a home that this user may not write",
    command: ["start"],
    prepare(home) {
      mkdirSync(join(home, "closed"));
      chmodSync(join(home, "closed"), 0o555);
    },
    env: { ROUSE_HOME: "HOME/closed" },
    byAnother: true,
    code: 1,
    says: "HOME/closed/rouse.jsonc was not written: HOME/closed/rouse.jsonc.lock cannot be written. Run this as the owner of that folder, or choose another home with ROUSE_HOME.",
  },
  {
    name: "a home in a folder that this user may not write",
    command: ["start"],
    prepare(home) {
      mkdirSync(join(home, "closed"));
      chmodSync(join(home, "closed"), 0o555);
    },
    env: { ROUSE_HOME: "HOME/closed/rouse" },
    byAnother: true,
    code: 1,
    says: "The folder HOME/closed/rouse cannot be made (EACCES). Choose a home that this user can write, with ROUSE_HOME or --config FILE.",
  },
  {
    name: "a file in place of the home",
    command: ["start"],
    files: { file: "" },
    env: { ROUSE_HOME: "HOME/file" },
    code: 1,
    says: "The folder HOME/file cannot be made (it is a file). Choose a home that this user can write, with ROUSE_HOME or --config FILE.",
  },
  {
    name: "a file of something else in place of the store",
    config: config(),
    files: {
      "rouse.db": "this is a text and no database, and it is long enough to be read as one\n".repeat(9),
    },
    command: ["serve"],
    code: 1,
    says: "The store HOME/rouse.db cannot be used: the file is not a database. It must be a file of Rouse in a folder that this user can write; store.path in HOME/rouse.jsonc names it.",
  },
  {
    name: "a folder in place of the store",
    config: config(),
    prepare: (home) => mkdirSync(join(home, "rouse.db")),
    command: ["serve"],
    code: 1,
    says: "The store HOME/rouse.db cannot be used: the database file cannot be opened. It must be a file of Rouse in a folder that this user can write; store.path in HOME/rouse.jsonc names it.",
  },
  {
    name: "an address that this machine does not have",
    config: at('"host": "203.0.113.9", "port": 0'),
    command: ["serve"],
    code: 1,
    says: "203.0.113.9 is not an address of this machine. Set gateway.host in HOME/rouse.jsonc to one: 127.0.0.1 for this machine alone, 0.0.0.0 for all networks.",
  },
];

type Taken = { port: number; home: string };
/** With a gateway that runs on this port, in this home. */
export const startBeside = ({ port, home }: Taken): Mistake[] => [
  {
    name: "a port in use",
    config: at(`"port": ${port}`),
    command: ["start"],
    code: 1,
    says: "Port PORT on 127.0.0.1 is in use by another program. Stop that program, or choose another port: gateway.port in HOME/rouse.jsonc, or --port N (0 takes a free one).",
  },
  {
    name: "two gateways on one home",
    config: config("", `"store": { "path": "${home}/rouse.db" }`),
    command: ["start", "--port", "0"],
    code: 1,
    says: "Another gateway is running on OTHER/rouse.db. Stop it first, or give this one a home of its own: ROUSE_HOME, or --config FILE.",
  },
];

/** `url` is a PostgreSQL that runs, `closedPort` one where nothing does. */
export const postgresMistakes = (url: string, closedPort: number): Mistake[] => {
  const changed = (change: (address: URL) => void): string => {
    const address = new URL(url);
    change(address);
    return stored(address.href);
  };
  const says = (reason: string): Pick<Mistake, "command" | "code" | "says"> => ({
    command: ["serve"],
    code: 1,
    says: `The database cannot be used: ${reason}. Its address is store.url in HOME/rouse.jsonc.`,
  });
  return [
    {
      name: "a PostgreSQL that does not run",
      config: changed((address) => (address.port = String(closedPort))),
      ...says("nothing listens at its address; start it, or correct the address (ECONNREFUSED)"),
    },
    {
      name: "a wrong password of PostgreSQL",
      config: changed((address) => (address.password = "wrong")),
      ...says("the user or the password is wrong (28P01)"),
    },
    {
      name: "a database that PostgreSQL does not have",
      config: changed((address) => (address.pathname = "/nonesuch")),
      ...says("it has no database of this name; create it, or correct the address (3D000)"),
    },
  ];
};
