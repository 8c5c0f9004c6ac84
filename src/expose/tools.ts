// The programs that bring requests from the internet to this machine: how each is started, and where it tells its
// public address. Nothing is installed or downloaded here.
import { objectOn } from "../processes/lines.ts";

export type Local = { port: number; hooksPath: string; apiPort: number };

/** What a tool says of its address. Null: nothing yet. */
export type Told = string | null;

export type Tool = {
  readonly name: string;
  /** The first of these that is installed. */
  readonly commands: readonly string[];
  /** Asks whether it is set up; left out: it needs nothing. */
  readonly ready?: {
    /** A variable that holds its token: then it is not asked. */
    tokenVariable?: string;
    args: readonly string[];
    isReady: (output: string, exitCode: number | null) => boolean;
  };
  readonly install: string;
  readonly setUp: string;
  args(local: Local): string[];
  /** Asked over HTTP on this machine, or by a command of the tool. */
  readonly api?:
    | { url: (local: Local) => string; read: (answer: unknown, local: Local) => Told }
    | { args: readonly string[]; read: (answer: unknown) => Told };
  /** A line of its output, and the line before it. */
  readLine(line: string, before: string): Told;
  /** Why it fails, where it says so in its log and not on its standard error. */
  readFault?(line: string): Told;
  readonly callerHeader: string | null;
  /** Whether its address is the same after the next start. */
  readonly isStable: boolean;
};

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

const longestAddress = 300;

/** An address of nothing but https and a host; null for anything else. */
export function publicAddress(written: unknown, host: RegExp = /./): Told {
  if (typeof written !== "string" || written.length > longestAddress || !URL.canParse(written)) return null;
  const { protocol, hostname, origin, username, password } = new URL(written);
  const isPlain = protocol === "https:" && username === "" && password === "";
  return isPlain && hostname.includes(".") && host.test(hostname) ? origin : null;
}

const quickTunnel = /^[a-z0-9-]+\.trycloudflare\.com$/;
const tailnet = /\.ts\.net$/;
const dnsName = (status: unknown): Told => {
  const name = fieldsOf(fieldsOf(status)["Self"])["DNSName"];
  return typeof name === "string" ? publicAddress(`https://${name.replace(/\.$/, "")}`, tailnet) : null;
};
const firstAddress = (line: string, host?: RegExp): Told => {
  for (const [found] of line.matchAll(/https:\/\/[^\s"'|\\]+/g)) {
    const address = publicAddress(found, host);
    if (address !== null) return address;
  }
  return null;
};

export const tailscale: Tool = {
  name: "tailscale",
  commands: ["tailscale"],
  ready: {
    args: ["status", "--json"],
    isReady: (output, exitCode) => exitCode === 0 && fieldsOf(objectOn(output))["BackendState"] === "Running",
  },
  install: "https://tailscale.com/download",
  setUp: "log in: tailscale up",
  // The path it serves is taken off, so it stands in the target again.
  args: ({ port, hooksPath }) => [
    "funnel",
    "--yes",
    `--set-path=${hooksPath}`,
    `http://127.0.0.1:${port}${hooksPath}`,
  ],
  api: { args: ["status", "--json"], read: dnsName },
  readLine: (line) => firstAddress(line, tailnet),
  callerHeader: null,
  isStable: true,
};

export const ngrok: Tool = {
  name: "ngrok",
  commands: ["ngrok"],
  ready: {
    tokenVariable: "NGROK_AUTHTOKEN",
    args: ["config", "check"],
    isReady: (_, exitCode) => exitCode === 0,
  },
  install: "https://ngrok.com/download",
  setUp: "add your account's token: ngrok config add-authtoken TOKEN",
  args: ({ port }) => ["http", `127.0.0.1:${port}`, "--log", "stdout", "--log-format", "json"],
  api: {
    url: () => "http://127.0.0.1:4040/api/tunnels",
    // Another ngrok may have the port: its tunnels lead elsewhere.
    read(answer, { port }) {
      const { tunnels } = fieldsOf(answer);
      const own = (Array.isArray(tunnels) ? tunnels : [])
        .map(fieldsOf)
        .find(({ config }) => String(fieldsOf(config)["addr"]).endsWith(`:${port}`));
      return publicAddress(own?.["public_url"]);
    },
  },
  readLine(line) {
    const { msg, url } = fieldsOf(objectOn(line));
    return msg === "started tunnel" ? publicAddress(url) : null;
  },
  readFault(line) {
    const { lvl, err } = fieldsOf(objectOn(line));
    return (lvl === "eror" || lvl === "crit") && typeof err === "string" ? err : null;
  },
  callerHeader: null,
  isStable: true,
};

export const cloudflared: Tool = {
  name: "cloudflared",
  commands: ["cloudflared"],
  install: "https://developers.cloudflare.com/cloudflare-one/connections/connect-networks/downloads",
  setUp: "it needs no account",
  args: ({ port, apiPort }) => [
    "tunnel",
    "--url",
    `http://127.0.0.1:${port}`,
    "--metrics",
    `127.0.0.1:${apiPort}`,
    "--output",
    "json",
  ],
  api: {
    url: ({ apiPort }) => `http://127.0.0.1:${apiPort}/quicktunnel`,
    read: (answer: unknown) => publicAddress(`https://${String(fieldsOf(answer)["hostname"])}`, quickTunnel),
  },
  readLine: (line) => firstAddress(line, quickTunnel),
  callerHeader: "cf-connecting-ip",
  isStable: false,
};

const zrokAnnouncement = "access your zrok share at the following endpoints:";
// Version 1 writes an address, version 2 a name alone; each on the next line, or in the same message as JSON.
const zrokAddress = (line: string, before: string): Told => {
  const { msg } = fieldsOf(objectOn(line));
  const text = typeof msg === "string" ? msg : line;
  const at = text.indexOf(zrokAnnouncement);
  if (at === -1 && !before.trimEnd().endsWith(zrokAnnouncement)) return null;
  const rest = at === -1 ? text : text.slice(at + zrokAnnouncement.length);
  const found = /^\s*(?:https:\/\/)?([a-z0-9.-]+(?::\d+)?)(?=[\s/]|$)/i.exec(rest);
  return found ? publicAddress(`https://${found[1]}`) : null;
};

export const zrok: Tool = {
  name: "zrok",
  commands: ["zrok2", "zrok"],
  install: "https://docs.zrok.io/docs/getting-started",
  // It answers 0 in either case; only an enabled machine has this table.
  ready: {
    args: ["status"],
    isReady: (output, exitCode) => exitCode === 0 && hasEnvironment(output),
  },
  setUp: "enable this machine once: zrok2 enable TOKEN (version 1: zrok enable TOKEN)",
  // An agent of zrok that runs here would take the share over, and keep it open after us.
  args: ({ port }) => ["share", "public", `http://127.0.0.1:${port}`, "--headless", "--force-local"],
  readLine: zrokAddress,
  callerHeader: null,
  isStable: false,
};

const hasEnvironment = (output: string): boolean =>
  output.split(/\s+/).some((word) => word.includes("Environment") && word.includes(":"));

/** In the order in which they are looked for. */
export const tools: readonly Tool[] = [tailscale, ngrok, cloudflared, zrok];
