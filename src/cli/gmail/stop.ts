// `rouse gmail stop`: ends the hints from Gmail; on request, removes the cloud resources and the settings.
import type { Config, GmailConfig } from "../../config/config.ts";
import { UsageError } from "../../core/errors.ts";
import { gmailScope, pubsubScope } from "../../mail/gmail/auth.ts";
import { type Ask, createAsk } from "../../gmail-setup/ask.ts";
import { type Endpoints, googleEndpoints } from "../../gmail-setup/calls.ts";
import { readCredentials } from "../../gmail-setup/credentials.ts";
import { gmailAccountId } from "../../gmail-setup/cursor.ts";
import type { Step } from "../../gmail-setup/step.ts";
import { removeFromCloud, stopWatch } from "../../gmail-setup/remove.ts";
import { goalFrom, writeSettings } from "../../gmail-setup/settings.ts";
import { tokenFor } from "../../gmail-setup/token.ts";
import { explained } from "../../gmail-setup/refusals.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import type { Context } from "../command.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { loadSettings } from "../open/settings.ts";
import { openOrMakeStore } from "./store.ts";
import type { Overrides } from "./setup.ts";
import { stopFlags } from "./options.ts";
import { showStep } from "./show.ts";
import { gmailOf } from "./status.ts";

export async function runStop(context: Context, overrides: Overrides = {}): Promise<number> {
  const { values, positionals } = readArguments(context, stopFlags);
  refuseMore(positionals, 0);
  const { config } = await loadSettings(context, values.config);
  const gmail = gmailOf(config);
  const { cloud } = goalFrom(gmail);
  context.audit({ verb: "gmail.stop", subject: gmail.account, store: config.store });
  const endpoints = { ...googleEndpoints, ...gmail.endpoints, ...overrides.endpoints };
  const steps: Step[] = [];
  const report = (step: Step): void => {
    steps.push(step);
    if (!values.json) showStep(context, step);
  };
  // The config comes first: a running gateway would ask for hints again.
  if (values.remove)
    report(writeSettings(config, [{ path: ["hooks", "gmail"], value: undefined }], context.env));
  try {
    const askAs = logInAgain(gmail, endpoints, context);
    report(await stopWatch(await askAs(gmail.account, gmailScope), endpoints, gmail.account));
    if (values.delete && cloud)
      (await removeFromCloud(await askAs(null, pubsubScope), endpoints, cloud)).forEach(report);
  } catch (fault) {
    // Without a valid login nothing can be removed from the cloud, but the config can be changed.
    if (!values.remove || !(fault instanceof UsageError)) throw fault;
    report({ what: "watch", name: gmail.account, state: "left", note: fault.message });
  }
  await noteStop(config, gmail, values.remove === true, context);
  const notes = notesFor(gmail, values.remove === true);
  if (values.json) printJson(context, { account: gmail.account, steps, notes });
  else if (notes.length > 0) printLine(context, ["", ...notes].join("\n"));
  return 0;
}

/** `subject` is the account to act for; null acts as the login itself, which made the topic. */
type AskAs = (subject: string | null, scope: string) => Promise<Ask>;

function logInAgain({ credentialsFile }: GmailConfig, endpoints: Endpoints, { clock }: Context): AskAs {
  const credentials = readCredentials(credentialsFile);
  if (credentials === null)
    throw new UsageError(
      `There is no login in ${credentialsFile}: without one, Gmail cannot be told to stop. Its hints end by themselves within seven days.`,
    );
  return async (subject, scope) => {
    const server = { oauth: endpoints.oauth, clock };
    const { accessToken } = await explained({ what: "Logging in", project: null }, () =>
      tokenFor(server, credentials, { subject, scopes: [scope] }),
    );
    return createAsk(accessToken, clock);
  };
}

/** Forgets the cursor of a removed account: when it is set up again, it starts with new mail. */
async function noteStop(
  config: Config,
  gmail: GmailConfig,
  isRemoved: boolean,
  context: Context,
): Promise<void> {
  const store = await openOrMakeStore(config.store, context);
  if (store === null) return;
  const id = gmailAccountId(gmail.account);
  try {
    if (isRemoved) await store.forgetMailAccount(id);
    else
      await store.noteSubscription(id, {
        lease: null,
        expiration: context.clock.now(),
        dueInMs: gmail.renewEveryMs,
      });
  } finally {
    await store.close();
  }
}

function notesFor({ mode, credentialsFile }: GmailConfig, isRemoved: boolean): string[] {
  if (isRemoved)
    return [
      `The login is still in ${credentialsFile}. Delete that file when you no longer need it, and take the app's access back at https://myaccount.google.com/connections`,
    ];
  return mode === "poll"
    ? ["hooks.gmail is still in the config: mail is read as before. To end that: rouse gmail stop --remove"]
    : [
        `hooks.gmail is still in the config with the mode ${mode}: the gateway reads mail at intervals, and asks for hints again at its next renewal or start. To end that: rouse gmail stop --remove, or rouse gmail setup --mode poll`,
      ];
}
