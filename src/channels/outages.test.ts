// What every channel that speaks HTTP makes of a platform's bad hour, as docs/channels.md promises it in a table.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { type ChannelAt, channelsOverHttp } from "../../test/fixtures/channels-over-http.ts";
import { deadAddress, type PlatformReply, startPlatform } from "../../test/fixtures/recording-platform.ts";
import { messageOn } from "../../test/fixtures/sending.ts";

const never = new AbortController().signal;

/** What is promised for this outcome. */
async function followsAt(
  apiBase: string,
  { to, open }: ChannelAt,
  signal = never,
): Promise<"again" | "once more" | "never"> {
  const channel = await open(apiBase);
  const { kind } = await channel.send(messageOn(channel, to), signal);
  if (kind === "retry" || (kind === "unknown" && channel.idempotent)) return "again";
  return kind === "unknown" ? "once more" : "never";
}

const token = { json: { access_token: "a", expires_in: 3600 } };

/** A platform with this fault; the sign-in service of Teams has none. */
async function faulty(reply: PlatformReply, onCall = (): void => {}): Promise<string> {
  const { url } = await startPlatform(({ path }) => {
    if (path.endsWith("/token")) return token;
    onCall();
    return reply;
  });
  return url;
}

type Outage = (channel: ChannelAt) => Promise<string>;

const answering =
  (reply: PlatformReply): Outage =>
  async (channel) =>
    followsAt(await faulty(reply), channel);

const silent: Outage = async (channel) => {
  const stop = new AbortController();
  return followsAt(await faulty("hang", () => stop.abort()), channel, stop.signal);
};

/** By the head of their column. */
const outages: Readonly<Record<string, readonly Outage[]>> = {
  "not reached": [
    async (channel) => followsAt(await deadAddress(), channel),
    async (channel) => followsAt("http://no-such-host.invalid", channel),
    async (channel) => followsAt((await faulty({})).replace("http:", "https:"), channel),
  ],
  "429": [answering({ status: 429 })],
  "503 with `Retry-After`": [answering({ status: 503, headers: { "retry-after": "5" } })],
  "502, 504": [answering({ status: 502 }), answering({ status: 504, text: "<html>" })],
  "500, 503, 408": [500, 503, 408].map((status) => answering({ status, text: "<html>" })),
  "no whole answer": [answering("reset"), answering("cut"), silent],
};

const cellsOf = (line: string): string[] =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

const page = readFileSync(new URL("../../docs/channels.md", import.meta.url), "utf8").split("\n");
const head = page.findIndex((line) => line.startsWith("| Platform | not reached |"));
const end = page.indexOf("", head);
const columns = cellsOf(page[head]!).slice(1);
const rows = page.slice(head + 2, end).map(cellsOf);

test("the table has every platform and every outage", () => {
  assert.deepEqual(columns.toSorted(), Object.keys(outages).toSorted());
  const names = rows.flatMap(([platforms = ""]) => platforms.split(", "));
  assert.deepEqual(names.toSorted(), Object.keys(channelsOverHttp).toSorted());
});

for (const [platforms = "", ...promises] of rows)
  for (const name of platforms.split(", "))
    suite(`what ${name} does in an outage is tried again as promised`, { concurrency: true }, () => {
      for (const [index, column] of columns.entries())
        test(column, async () => {
          const follows = await Promise.all(
            outages[column]!.map((outage) => outage(channelsOverHttp[name]!)),
          );
          assert.deepEqual(
            follows,
            follows.map(() => promises[index]),
          );
        });
    });
