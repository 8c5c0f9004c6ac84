// `rouse gmail setup`: reads the settings from flags, config and questions, then prints the plan or applies it.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import { UsageError } from "../../core/errors.ts";
import { type Endpoints, googleEndpoints } from "../../gmail-setup/calls.ts";
import { type Credentials, credentialsFileFor, readCredentials } from "../../gmail-setup/credentials.ts";
import { gcloudCommands } from "../../gmail-setup/gcloud.ts";
import type { LoginSource } from "../../gmail-setup/login.ts";
import { planCalls } from "../../gmail-setup/plan.ts";
import type { Step } from "../../gmail-setup/step.ts";
import { setUp, type SetupResult } from "../../gmail-setup/set-up.ts";
import { readAddress, toGoal, type Goal } from "../../gmail-setup/goal.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { type Context, WrongUsage } from "../command.ts";
import { makeHome } from "../open/home.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { findConfigFile, loadSettings } from "../open/settings.ts";
import { openOrMakeStore } from "./store.ts";
import { type Draft, draftOf, projectOf, type SetupValues } from "./flags.ts";
import { setupFlags } from "./options.ts";
import { plainCall, showStep, showPlan } from "./show.ts";
import { closingLines } from "./closing.ts";
import { processTerminal, type Terminal } from "../terminal/person.ts";
import { createVisit } from "./visit.ts";

export type Overrides = { terminal?: Terminal; endpoints?: Partial<Endpoints> };

type Ready = { goal: Goal; source: LoginSource | null; credentialsFile: string; wasAsked: boolean };

export async function runSetup(context: Context, overrides: Overrides = {}): Promise<number> {
  const { values, positionals } = readArguments(context, setupFlags);
  refuseMore(positionals, 0);
  const { terminal = processTerminal(context) } = overrides;
  const file = await findConfigFile(context, values.config);
  const config = existsSync(file) ? (await loadSettings(context, values.config)).config : null;
  const endpoints = { ...googleEndpoints, ...config?.hooks.gmail?.endpoints, ...overrides.endpoints };
  const ready = await prepare(values, { config, file, terminal, folder: context.folder });
  if (values["print-gcloud"]) return printGcloud(context, ready, values);
  if (values["dry-run"]) return printPlan(context, ready, endpoints, values);
  if (ready.wasAsked && !values.yes) await confirmPlan(ready, file, terminal);
  return applySetup(context, ready, { values, file, endpoints, terminal });
}

async function prepare(
  values: SetupValues,
  {
    config,
    file,
    terminal,
    folder,
  }: { config: Config | null; file: string; terminal: Terminal; folder: string },
): Promise<Ready> {
  const fileFor = (account: string) => keptFile(account, config, file);
  const keptFor = (account: string): Credentials | null => readCredentials(fileFor(readAddress(account)));
  const first = draftOf(values, config);
  const wasAsked = terminal.isInteractive && !values.json && isMissing(first, keptFor);
  const draft = wasAsked
    ? await (await import("./ask.ts")).askMissing(first, keptFor, terminal, folder)
    : first;
  if (draft.account === undefined) throw new WrongUsage("Say which mailbox: --account ADDRESS");
  const project = agreeOnProject(draft, projectOf(draft.source, keptFor(draft.account)));
  const goal = toGoal({ ...draft, account: draft.account, mode: draft.mode ?? "poll", project });
  const account = config?.hooks.gmail?.account ?? goal.account;
  const isSame = account.toLowerCase() === goal.account;
  return {
    goal: isSame ? { ...goal, account } : goal,
    source: draft.source,
    credentialsFile: fileFor(goal.account),
    wasAsked,
  };
}

function isMissing(draft: Draft, keptFor: (account: string) => Credentials | null): boolean {
  const { account, mode = "poll", source } = draft;
  if (account === undefined) return true;
  const kept = keptFor(account);
  if (source === null && kept === null) return true;
  if (mode === "poll") return false;
  const hasProject = draft.project ?? projectOf(source, kept) ?? draft.topic?.startsWith("projects/");
  const isPushReady = draft.pushEndpoint !== undefined && draft.oidcServiceAccount !== undefined;
  return !hasProject || (mode === "push" && !isPushReady);
}

/** The file the config names, if it is there; else the default for the account. */
function keptFile(account: string, config: Config | null, file: string): string {
  const gmail = config?.hooks.gmail;
  const isSame = gmail?.account.toLowerCase() === account.toLowerCase();
  if (gmail && isSame && existsSync(gmail.credentialsFile)) return gmail.credentialsFile;
  return join(dirname(file), credentialsFileFor(account.toLowerCase()));
}

function agreeOnProject({ project, mode }: Draft, ofLogin: string | null): string | undefined {
  if (
    mode !== undefined &&
    mode !== "poll" &&
    project !== undefined &&
    ofLogin !== null &&
    project !== ofLogin
  )
    throw new UsageError(
      `The login is of the project ${ofLogin}, and --project says ${project}: Gmail wants the topic in the login's project.`,
    );
  return project ?? ofLogin ?? undefined;
}

function printGcloud(context: Context, { goal }: Ready, { json }: SetupValues): number {
  const commands = gcloudCommands(goal);
  if (json) printJson(context, { commands: commands.filter((line) => !line.startsWith("#")) });
  else printLine(context, commands.join("\n"));
  return 0;
}

function printPlan(
  context: Context,
  { goal, source, credentialsFile }: Ready,
  endpoints: Endpoints,
  { json }: SetupValues,
): number {
  const kept = readCredentials(credentialsFile);
  const calls = planCalls({ goal, source, kept, endpoints });
  if (json) printJson(context, { dryRun: true, calls: calls.map(plainCall) });
  else showPlan(context, calls);
  return 0;
}

async function confirmPlan(
  { goal, credentialsFile }: Ready,
  file: string,
  terminal: Terminal,
): Promise<void> {
  const { account, mode, label, cloud } = goal;
  const { confirmed } = await import("./ask.ts");
  await confirmed(terminal, [
    `Mailbox ${account}, label ${label}, mode ${mode}`,
    ...(cloud === null ? [] : [`In the cloud: ${cloud.topic}, ${cloud.subscription}`]),
    `Login in ${credentialsFile}`,
    `Config ${file}, with a backup`,
  ]);
}

async function applySetup(
  context: Context,
  { goal, source, credentialsFile }: Ready,
  about: { values: SetupValues; file: string; endpoints: Endpoints; terminal: Terminal },
): Promise<number> {
  const { values, file, endpoints, terminal } = about;
  const { clock, env } = context;
  const steps: Step[] = [];
  const report = (step: Step): void => {
    steps.push(step);
    if (!values.json) showStep(context, step);
  };
  if (!existsSync(file)) {
    await makeHome(file, { overwrite: false });
    report({ what: "config", name: file, state: "made", note: "with two fresh tokens" });
  }
  const { config } = await loadSettings(context, values.config);
  context.audit({ verb: "gmail.setup", subject: goal.account, store: config.store });
  const store = await openOrMakeStore(config.store, context);
  const visit = createVisit(context, terminal, { noBrowser: values["no-browser"] === true });
  const newLogin = values["new-login"] === true;
  const options = {
    goal,
    source,
    credentialsFile,
    config,
    store,
    endpoints,
    visit,
    newLogin,
    clock,
    env,
    report,
  };
  let result: SetupResult;
  try {
    result = await setUp(options);
  } finally {
    await store?.close();
  }
  const notes = closingLines({ goal, config, result, steps, now: clock.now() });
  const { account, mode } = goal;
  if (values.json) printJson(context, { account, mode, file, credentialsFile, steps, notes });
  else printLine(context, ["", ...notes].join("\n"));
  return 0;
}
