// A gateway to be measured: the real one, which also tells how many requests shared each commit.
import { loadConfig } from "../src/config/load.ts";
import { startGateway } from "../src/gateway.ts";
import { openStore } from "../src/store/open.ts";
import { createLog } from "../src/telemetry/log.ts";

const loaded = loadConfig(process.argv[2] ?? "", process.env);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));

let groups = 0;
let members = 0;
const { port } = await startGateway({
  loaded,
  env: process.env,
  log: createLog(loaded.config.log),
  port: 0,
  store: openStore(loaded.config.store, (size) => {
    groups++;
    members += size;
  }),
});
process.on("message", () => {
  process.send?.({ groups, members, rssBytes: process.memoryUsage.rss() });
  groups = members = 0;
});
process.send?.({ port });
