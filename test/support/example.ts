// An example on a real gateway, in a copy of its folder, so that nothing is left in the checkout.
import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../src/config/load.ts";
import { newToken } from "../../src/config/write/write.ts";
import { systemClock } from "../../src/core/clock.ts";
import { startGateway } from "../../src/gateway/gateway.ts";
import { openStore } from "../../src/store/open.ts";
import { openSqliteFile } from "../../src/store/sqlite/file.ts";
import type { Store } from "../../src/store/ports/store.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { makeFolder } from "./folder.ts";
import { waitFor } from "./gateway.ts";
import { readPrompt } from "./mapped.ts";

export const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const token = newToken();
export const env = { ROUSE_HOOK_TOKEN: token };

export const textOf = (name: string, file: string): string =>
  readFileSync(join(examples, name, file), "utf8");

export type Example = {
  url: string;
  config: string;
  store: Store;
  post(payload: string, headers?: Record<string, string>): Promise<Response>;
  ended(
    runId: string,
  ): Promise<{ sessionKey: string; name: string | null; prompt: ReturnType<typeof readPrompt> }>;
};

export async function startExample(t: TestContext, name: string): Promise<Example> {
  const folder = makeFolder("example");
  cpSync(join(examples, name), folder, { recursive: true });
  const config = join(folder, "rouse.jsonc");
  const loaded = loadConfig(config, env);
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const log = createLog({ level: "error", format: "json" }, { write: () => {} });
  const gateway = await startGateway({ loaded, env, log, port: 0, store: openStore(loaded.config.store) });
  const store = await openSqliteFile({ path: join(folder, "rouse.db"), clock: systemClock });
  t.after(async () => {
    await store.close();
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });
  const url = `http://${gateway.host}:${gateway.port}`;
  return {
    url,
    config,
    store,
    post: (payload, headers = headersOf(name)) =>
      fetch(`${url}/hooks/${name}`, {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: payload,
      }),
    async ended(runId) {
      const run = await waitFor(`the end of ${runId}`, async () => {
        const found = await store.findRun(runId);
        return found?.endedAt != null && found;
      });
      assert.equal(run.status, "succeeded");
      return { sessionKey: run.sessionKey, name: run.request.name, prompt: readPrompt(run.reply ?? "") };
    },
  };
}

export function headersOf(name: string): Record<string, string> {
  if (!existsSync(join(examples, name, "headers.txt"))) return {};
  const lines = textOf(name, "headers.txt").trim().split("\n");
  return Object.fromEntries(lines.map((line) => [line.split(": ")[0], line.slice(line.indexOf(": ") + 2)]));
}
