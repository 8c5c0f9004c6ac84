// Every tool, in the order in which a model sees them.
import type { Tool } from "../tool.ts";
import { configTools } from "./config.ts";
import { deliveryTools } from "./deliveries.ts";
import { gatewayTools } from "./gateway.ts";
import { hookTools } from "./hooks.ts";
import { replayTools } from "./replays.ts";
import { requestTools } from "./requests.ts";
import { runTools } from "./runs.ts";

export const tools: readonly Tool[] = [
  ...gatewayTools,
  ...requestTools,
  ...replayTools,
  ...runTools,
  ...deliveryTools,
  ...hookTools,
  ...configTools,
];
