// A chat platform that speaks as Telegram does, and has bad hours. What it is sent must be as its documentation says.
import { createServer } from "node:http";
import { type Random, randomFor } from "./random.ts";
import { bodyOf, listening, stopped } from "./replies.ts";
import { anyText, jsonText } from "./values.ts";

export type OddPlatform = {
  url: string;
  messages(): number;
  /** Requests that Telegram would not understand. */
  faults: readonly string[];
  stop(): Promise<void>;
};

const longestText = 4096;

export async function startOddPlatform(seed: number): Promise<OddPlatform> {
  const faults: string[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    response.on("error", () => {});
    const take = async (): Promise<void> => {
      const fault = faultOf(await bodyOf(request));
      if (fault !== null && faults.length < 10) faults.push(fault);
      const random = randomFor(seed, count++);
      if (random.chance(0.02)) return void response.destroy();
      const [status, body, headers = {}] = said(random);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    };
    take().catch(() => response.destroy());
  });
  return { url: await listening(server), messages: () => count, faults, stop: () => stopped(server) };
}

function faultOf(body: string): string | null {
  const { chat_id: chat, text, parse_mode: markup } = JSON.parse(body) as Record<string, unknown>;
  if (typeof chat !== "number" && typeof chat !== "string") return `chat_id is ${String(chat)}`;
  if (typeof text !== "string" || text === "") return `no text: ${body.slice(0, 300)}`;
  const shown =
    markup === "HTML" ? text.replaceAll(/<[^>]*>/g, "").replaceAll(/&(?:lt|gt|quot|amp);/g, "x") : text;
  return shown.length > longestText ? `a message of ${shown.length} characters` : null;
}

type Said = [status: number, body: string, headers?: Record<string, string>];

const ok = '{"ok":true,"result":{"message_id":1}}';
const refused = (code: number, description: string, parameters: object = {}): string =>
  JSON.stringify({ ok: false, error_code: code, description, parameters });

const said = (random: Random): Said =>
  random.weighted<() => Said>([
    [80, () => [200, ok]],
    [5, () => limited(random)],
    [3, () => [400, refused(400, "Bad Request: can't parse entities")]],
    [2, () => [400, refused(400, "moved", { migrate_to_chat_id: random.pick([-1001, 1e308, 0.5, "x"]) })]],
    [2, () => [random.pick([403, 404, 401]), refused(403, anyText(random))]],
    [3, () => [random.pick([500, 502, 503, 504]), random.pick(["", "<html>", refused(502, "Bad Gateway")])]],
    [2, () => [200, jsonText(random)]],
    [1, () => [200, "x".repeat(random.below(3_000_000))]],
  ])();

function limited(random: Random): Said {
  const wait = random.pick([0, -1, 0.3335, 1, 1e308, null, "1"]);
  return [429, refused(429, "Too Many Requests", { retry_after: wait }), { "retry-after": String(wait) }];
}
