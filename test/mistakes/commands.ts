// Mistakes on the command line.
import { config } from "./config.ts";
import type { Mistake } from "./mistake.ts";

export const commandMistakes: Mistake[] = [
  {
    name: "a misspelt command",
    command: ["chekc"],
    code: 2,
    says: "rouse: There is no command chekc. Did you mean: rouse check",
  },
  {
    name: "an option before the command",
    command: ["--config", "rouse.jsonc", "check"],
    code: 2,
    says: "rouse: --config must come after a command. List all commands: rouse help",
  },
  {
    name: "a misspelt option",
    command: ["check", "--jsn"],
    code: 2,
    says: "rouse check: There is no option --jsn. Did you mean --json?\nUsage: rouse check [--config FILE] [--json]\nMore: rouse help check",
  },
  {
    name: "an option without its value",
    command: ["serve", "--port"],
    code: 2,
    says: "rouse serve: --port needs a value.\nUsage: rouse serve [--port N] [--config FILE]\nMore: rouse help serve",
  },
  {
    name: "a word where a number belongs",
    command: ["serve", "--port", "http"],
    code: 2,
    says: 'rouse serve: --port must be a whole number from 0 to 65535, not "http".\nUsage: rouse serve [--port N] [--config FILE]\nMore: rouse help serve',
  },
  {
    name: "a message without quotes",
    config: config(),
    command: ["send", "agent", "two", "words"],
    code: 2,
    says: 'rouse send: Unexpected argument "words". Put text of several words in quotes.',
  },
  {
    name: "a misspelt hook",
    config: config(),
    command: ["send", "agnet", "Hello"],
    code: 2,
    says: "rouse send: Did you mean agent? Give the body for agnet: --file FILE, or --file - for standard input",
  },
  {
    name: "a payload's file that is not there",
    config: config(),
    command: ["explain", "build", "--payload", "build.json"],
    code: 1,
    says: "The file CWD/build.json cannot be read: it is not there (ENOENT).",
  },
  {
    name: "a list of runs before the first start",
    config: config(),
    command: ["runs"],
    code: 1,
    says: "There is no store at HOME/rouse.db yet. Start the gateway once: rouse start",
  },
  {
    name: "a second init",
    config: config(),
    command: ["init"],
    code: 1,
    says: "HOME/rouse.jsonc exists already. Keep it, or replace it and its tokens with: rouse init --force",
  },
];

/** `url` is a gateway with another token, `own` the config of that gateway, `closedPort` a port where nothing listens. */
export const sendMistakes = (url: string, own: string, closedPort: number): Mistake[] => [
  {
    name: "a request while no gateway runs",
    config: config("", `"gateway": { "port": ${closedPort} }`),
    command: ["send", "agent", "Hello"],
    code: 1,
    says: "Nothing is listening on http://127.0.0.1:PORT. Start the gateway first, in another terminal: rouse start",
  },
  {
    name: "a token of another gateway",
    config: config(),
    command: ["send", "agent", "Hello", "--url", url],
    code: 1,
    says: "The token is missing or wrong. Send it as Authorization: Bearer TOKEN. (401 unauthorized)\nThe token sent is the first of hooks.token in HOME/rouse.jsonc. If that is right, another gateway listens there: rouse doctor",
  },
  {
    name: "an agent whose program is not installed",
    command: ["send", "agent", "Hello", "--agent", "missing", "--wait", "--url", url, "--config", own],
    code: 1,
    says: "The run has failed: the command my-agent was not found: install it, or write its whole path",
  },
  {
    name: "an agent whose program is not executable",
    command: ["send", "agent", "Hello", "--agent", "plain", "--wait", "--url", url, "--config", own],
    code: 1,
    says: "The run has failed: the command OTHER/agent.sh may not be run by this user (EACCES): make it executable with chmod +x",
  },
];
