// Every route of the admin API.
import type { Route } from "../frame/route.ts";
import { auditRoute } from "./audit.ts";
import { changesRoute } from "./changes.ts";
import { configRoutes } from "./config.ts";
import { deliveryRoutes } from "./deliveries.ts";
import { eventRoutes } from "./events.ts";
import { hookRoutes } from "./hooks.ts";
import { openApiRoute } from "./openapi.ts";
import { requestRoutes } from "./requests.ts";
import { replayRoutes } from "./replays.ts";
import { runRoutes } from "./runs.ts";
import { sessionRoutes } from "./sessions.ts";
import { settingsRoutes } from "./settings.ts";
import { statusRoutes } from "./status.ts";
import { timelineRoutes } from "./timeline.ts";

export const routes: readonly Route[] = [
  ...statusRoutes,
  ...replayRoutes,
  ...requestRoutes,
  ...timelineRoutes,
  ...runRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...sessionRoutes,
  ...hookRoutes,
  ...settingsRoutes,
  ...configRoutes,
  auditRoute,
  changesRoute,
  openApiRoute,
];
