// Which handler serves a request: the first route that matches its target. The hooks come last and match everything,
// because they also refuse targets that no route knows.
import { stopping } from "../core/errors.ts";
import { challengeHeader, isChallenge } from "../core/store-proof.ts";
import type { Api } from "../api/api.ts";
import type { Exchange } from "../http/exchange.ts";
import { singleHeader } from "../http/headers.ts";
import { sendJson, sendRefusal } from "../http/respond.ts";
import type { MetricsPage } from "./metrics-page.ts";
import type { Services } from "./services.ts";

export type Route = { matches(target: string): boolean; handle(exchange: Exchange): void };

export type RouteDeps = Pick<Services, "health" | "hooks" | "mail"> & {
  metricsPage: MetricsPage;
  api: Pick<Api, "matches" | "handle">;
  isStopping: () => boolean;
};

export function createRoutes({
  health,
  hooks,
  mail,
  metricsPage,
  api,
  isStopping,
}: RouteDeps): readonly Route[] {
  const respondReady = async (exchange: Exchange): Promise<void> => {
    if (isStopping()) return sendRefusal(exchange, stopping);
    if (!(await health.ready()))
      return sendRefusal(exchange, { refused: "store-unavailable", retryAfterSeconds: 1 });
    const challenge = singleHeader(exchange.request.rawHeaders, challengeHeader);
    const proof =
      typeof challenge === "string" && isChallenge(challenge) ? await health.prove(challenge) : null;
    sendJson(exchange, 200, { ok: true, ...(proof !== null && { proof }) });
  };
  return [
    exactly("/healthz", (exchange) => sendJson(exchange, 200, { ok: true })),
    exactly("/readyz", (exchange) => void respondReady(exchange)),
    metricsPage,
    api,
    {
      matches: (target) => mail.handler(target) !== null,
      handle: (exchange) => mail.handler(exchange.target)?.(exchange),
    },
    { matches: () => true, handle: hooks.handle },
  ];
}

export function handleWith(routes: readonly Route[]): (exchange: Exchange) => void {
  return (exchange) => routes.find((route) => route.matches(exchange.target))?.handle(exchange);
}

const exactly = (path: string, handle: Route["handle"]): Route => ({
  matches: (target) => target === path,
  handle,
});
