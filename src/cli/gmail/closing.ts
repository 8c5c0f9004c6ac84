// The closing lines of `rouse gmail setup`: what has changed, when the login ends, and what to run next.
import type { Config } from "../../config/config.ts";
import type { Step } from "../../gmail-setup/step.ts";
import type { SetupResult } from "../../gmail-setup/set-up.ts";
import type { Goal } from "../../gmail-setup/goal.ts";

const testing =
  'An OAuth app whose publishing status is "Testing" loses this login after seven days. To keep it, publish the app (Google Auth Platform → Audience → Publish app); for your own use it needs no verification.';

export function closingLines({
  goal,
  config,
  result: { login, loginSeconds },
  steps,
  now,
}: {
  goal: Goal;
  config: Config;
  result: SetupResult;
  steps: readonly Step[];
  now: number;
}): string[] {
  const isUnchanged = steps.every(({ state }) => state === "there" || state === "left");
  const ends = loginSeconds === null ? null : new Date(now + loginSeconds * 1000).toISOString();
  return [
    isUnchanged
      ? "Everything was there already: nothing was changed."
      : `New mail of ${goal.account} becomes runs from now on.`,
    ...(ends === null
      ? []
      : [`This login ends at ${ends}: Google says so. Before that, run: rouse gmail setup --new-login`]),
    ...(login === "account" ? [testing] : []),
    ...pushLines(goal, config),
    "A running gateway takes it up within seconds; if none runs: rouse start",
    "Try it: rouse gmail test --wait     See how it is doing: rouse gmail status",
  ];
}

function pushLines({ cloud }: Goal, { hooks, gateway }: Config): string[] {
  if (!cloud?.push) return [];
  const path = hooks.gmail?.pushPath ?? "/gmail-pubsub";
  const { pathname } = new URL(cloud.push.endpoint);
  const from = pathname === path ? "" : ` (and ${pathname} there to ${path} here)`;
  return [
    `Google posts to ${cloud.push.endpoint}: your proxy has to lead it to port ${gateway.port} of this gateway, at ${path}${from}.`,
  ];
}
