// `hooks.gmail` in the config: finds the settings that differ, and edits them. Comments stay.
import { dirname, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config, GmailConfig } from "../config/config.ts";
import { replaceConfig } from "../config/write/replace.ts";
import { editConfig, newToken } from "../config/write/write.ts";
import type { Step } from "./step.ts";
import type { Goal } from "./goal.ts";

export type Edit = { path: string[]; value: unknown };

/** Compares values after the environment is filled in, so that `${VARIABLE}` stays in the config. */
export function gmailEdits(goal: Goal, credentialsFile: string, config: Config): Edit[] {
  const { gmail } = config.hooks;
  const settings = settingsOf(goal, relative(dirname(config.file), credentialsFile));
  const current =
    gmail === null ? {} : settingsOf(goalFrom(gmail), relative(dirname(config.file), gmail.credentialsFile));
  const differing = Object.entries(settings).filter(
    ([name, value]) => !isDeepStrictEqual(current[name as keyof typeof current], value),
  );
  return differing.map(([name, value]) => ({ path: ["hooks", "gmail", name], value }));
}

/** Turns hooks on: without them no mail becomes a run. */
export const enablingEdits = ({ hooks }: Config): Edit[] =>
  hooks.enabled
    ? []
    : [
        { path: ["hooks", "enabled"], value: true },
        ...(hooks.tokens.length === 0 ? [{ path: ["hooks", "token"], value: newToken() }] : []),
      ];

export function writeSettings(config: Config, edits: readonly Edit[], env: NodeJS.ProcessEnv): Step {
  const { file } = config;
  if (edits.length === 0) return { what: "config", name: file, state: "there" };
  const edit = (text: string): string =>
    edits.reduce((before, { path, value }) => editConfig(before, path, value), text);
  const kept = replaceConfig(file, edit, { what: "hooks.gmail", env, backup: true });
  const names = edits.map(({ path }) => path.join(".")).join(", ");
  return { what: "config", name: file, state: "changed", note: `${names}; as it was before: ${kept}` };
}

function settingsOf({ account, mode, label, cloud }: Goal, credentialsFile: string) {
  return {
    account,
    mode,
    label,
    credentialsFile,
    ...(cloud && {
      topic: cloud.topic,
      subscription: cloud.subscription.slice(cloud.subscription.lastIndexOf("/") + 1),
    }),
    ...(cloud?.push && {
      oidc: { audience: cloud.push.audience, serviceAccountEmail: cloud.push.serviceAccount },
    }),
  };
}

/** The goal that leads to the current config. */
export function goalFrom({ account, mode, label, topic, subscription, oidc }: GmailConfig): Goal {
  if (topic === null || subscription === null) return { account, mode, label, cloud: null };
  const project = topic.split("/")[1] ?? "";
  const push = oidc && {
    endpoint: oidc.audience,
    audience: oidc.audience,
    serviceAccount: oidc.serviceAccountEmail,
  };
  return { account, mode, label, cloud: { project, topic, subscription, push, provisioned: false } };
}

export const credentialsPath = (config: Config, written: string): string =>
  resolve(dirname(config.file), written);
