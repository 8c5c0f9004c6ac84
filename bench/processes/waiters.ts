// Callers that wait for results and that stream them, each for a run of its own, as long as the process lives. Started as
// `waiters.ts PORT TOKEN COUNT`: so many of each. Tells its parent once all of them are there.
import { Agent, request, type IncomingMessage } from "node:http";

const [port = "", token = "", count = ""] = process.argv.slice(2);
const callers = Number(count);
const agent = new Agent({ keepAlive: true });

const ask = (
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const authorization = `Bearer ${token}`;
    const options = { host: "127.0.0.1", port: Number(port), path, method, agent };
    const asked = request({ ...options, headers: { authorization, ...headers } }, resolve);
    asked.on("error", reject);
    asked.end(body);
  });

async function textOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  return text;
}

async function startRun(): Promise<string> {
  const type = { "content-type": "application/json" };
  const response = await ask("POST", "/hooks/agent", type, '{"message":"wait","deliver":false}');
  return (JSON.parse(await textOf(response)) as { runId: string }).runId;
}

async function waitForEver(runId: string): Promise<never> {
  for (;;) {
    const response = await ask("GET", `/hooks/runs/${runId}`, { prefer: "wait=60" });
    await textOf(response);
    if (response.headers["preference-applied"] === undefined) throw new Error("there was no place to wait");
  }
}

async function stream(runId: string): Promise<void> {
  const response = await ask("GET", `/hooks/runs/${runId}/events`, {});
  if (response.statusCode !== 200) throw new Error(`a stream got ${response.statusCode}`);
  response.resume();
}

const runs: string[] = [];
for (let at = 0; at < 2 * callers; at++) runs.push(await startRun());
await Promise.all(runs.slice(callers).map(stream));
for (const runId of runs.slice(0, callers)) void waitForEver(runId);
// The requests of those who wait have arrived once another one is answered after them.
await textOf(await ask("GET", `/hooks/runs/${runs[0]}`, { prefer: "wait=1" }));
process.send?.("there");
