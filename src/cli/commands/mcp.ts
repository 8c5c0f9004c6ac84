// `rouse mcp`: the verbs of the admin API as tools for an agent, on standard input and output.
import { UsageError } from "../../core/errors.ts";
import { isLoopback } from "../../core/loopback.ts";
import { withoutEndSlash } from "../../core/text.ts";
import type { Gateway } from "../../mcp-server/gateway.ts";
import { type Command, type Context, WrongUsage } from "../command.ts";
import { addressOf, localHost } from "../open/address.ts";
import { loadSettings } from "../open/settings.ts";
import { configFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { noteLine } from "../terminal/output.ts";

const flags = { ...configFlag, url: { type: "string" } } as const;
const tokenVariable = "ROUSE_GATEWAY_TOKEN";

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  refuseMore(positionals, 0);
  if (values.url !== undefined && values.config !== undefined)
    throw new WrongUsage("--url and --config cannot both be given: a config names its own gateway.");
  const { url, token } =
    values.url === undefined ? await ofConfig(context, values.config) : remote(context, values.url);
  const { createGateway, firstFault } = await import("../../mcp-server/gateway.ts");
  const gateway = createGateway({ url, token });
  const fault = await firstFault(gateway);
  if (fault?.status === 401) throw new UsageError(fault.message);
  if (fault !== null)
    noteLine(context, `${fault.message} rouse mcp goes on; its tools work once the gateway does.`);
  await serve(context, gateway);
  return 0;
}

async function serve(context: Context, gateway: Gateway): Promise<void> {
  const { createMcpServer, serveMcp } = await import("../../mcp-server/serve.ts");
  const { readVersion } = await import("../../telemetry/process.ts");
  const stopped = new Promise<void>((resolve) => context.onStopSignal(resolve));
  const streams = { input: process.stdin, output: process.stdout };
  const server = createMcpServer({
    gateway,
    version: readVersion(),
    onFault: (tool, kind) => noteLine(context, `The tool ${tool} failed (${kind}).`),
  });
  await serveMcp(server, streams, stopped);
}

type Address = { url: string; token: string };

/** Only the gateway that the config is of gets its token. */
async function ofConfig(context: Context, file: string | undefined): Promise<Address> {
  const { config } = await loadSettings(context, file);
  const { host, port, auth } = config.gateway;
  if (auth.token === null)
    throw new UsageError(
      `${config.file} has no gateway.auth.token, so that its gateway has no admin API. Make one with: rouse token new`,
    );
  if (port === 0)
    throw new UsageError(
      `gateway.port in ${config.file} is 0 (any free port). Give the gateway's address, with --url http://HOST:PORT, and its token in ${tokenVariable}.`,
    );
  return { url: addressOf(localHost(host), port), token: auth.token };
}

function remote(context: Context, written: string): Address {
  const url = /^https?:\/\//i.test(written) && URL.canParse(written) ? new URL(written) : null;
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
    throw new WrongUsage("--url must be an address such as https://rouse.example.com");
  const token = context.env[tokenVariable]?.trim() ?? "";
  if (token === "")
    throw new UsageError(
      `Set ${tokenVariable} to the gateway.auth.token of the gateway at --url. The token of a config is only for its own gateway.`,
    );
  if (url.protocol === "http:" && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1")))
    noteLine(
      context,
      `The gateway token goes to ${url.host} unencrypted: use https where others share the network.`,
    );
  return { url: withoutEndSlash(written), token };
}

export const command: Command = {
  name: "mcp",
  summary: "let an agent look after the gateway, as an MCP server",
  help: `Usage: rouse mcp [--config FILE]
       rouse mcp --url URL

An MCP server on standard input and output, for agents such as Claude Code and Codex. Its tools are
the verbs of the admin API: it asks the running gateway and has no way to the store of its own. An
agent reads freely: status, requests and what became of them, runs, deliveries, hooks, the config
without its secrets, the audit. What changes something (replay, retry, cancel, release, pause,
resume, wake, the config) is only planned until the agent confirms it, and is in the audit as mcp.
Texts from outside reach the agent in blocks that they cannot close.

Address and token are those of the config: gateway.host, gateway.port, gateway.auth.token. While no
gateway runs, each tool says so.

Options:
  --url URL      another gateway; its gateway.auth.token is read from ${tokenVariable}
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  claude mcp add rouse -- rouse mcp
  codex mcp add rouse -- rouse mcp
  ${tokenVariable}=… rouse mcp --url https://rouse.example.com`,
  syntax: { options: flags },
  run,
};
