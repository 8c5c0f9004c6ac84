// The gateway under measurement, which also reports how many requests shared each commit.
import { loadConfig } from "../../src/config/load.ts";
import { startGateway } from "../../src/gateway/gateway.ts";
import { openStore } from "../../src/store/open.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";

const loaded = loadConfig(process.argv[2] ?? "", process.env);
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));

const metrics = createMetrics();
let groups = 0;
let members = 0;
const { port } = await startGateway({
  loaded,
  env: process.env,
  log: createLog(loaded.config.log),
  port: 0,
  metrics,
  store: openStore(loaded.config.store, {
    onGroup(size) {
      metrics.groupWritten(size);
      groups++;
      members += size;
    },
  }),
});
process.on("message", () => {
  process.send?.({ groups, members });
  groups = members = 0;
});
// A CPU profile is only written when the process exits by itself.
process.on("SIGTERM", () => process.exit());
process.send?.({ port });
