// `rouse gmail`: sets up a Gmail account, shows its state, tests it, and stops it.
import { nearest } from "../../core/nearest.ts";
import { setupFlags, statusFlags, stopFlags, testFlags } from "../gmail/options.ts";
import { readArguments, unknownVerb } from "../terminal/arguments.ts";
import { type Command, type Context, WrongUsage } from "../command.ts";

const verbs: Readonly<Record<string, () => Promise<(context: Context) => Promise<number>>>> = {
  setup: async () => (await import("../gmail/setup.ts")).runSetup,
  status: async () => (await import("../gmail/status.ts")).runStatus,
  test: async () => (await import("../gmail/test-mail.ts")).runTestMail,
  stop: async () => (await import("../gmail/stop.ts")).runStop,
};

async function run(context: Context): Promise<number> {
  const [verb = "", ...argv] = context.argv;
  const load = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (load) return (await load())({ ...context, argv });
  readArguments(context, statusFlags);
  const known = Object.keys(verbs);
  if (nearest(verb, known) !== null) throw unknownVerb(verb, known);
  throw new WrongUsage("Give a verb: setup, status, test or stop");
}

export const command: Command = {
  name: "gmail",
  summary: "read a Gmail account: setup, status, test, stop",
  help: `Usage: rouse gmail setup [--account ADDRESS] [--client FILE] [SETUP OPTIONS]
       rouse gmail status [--json]
       rouse gmail test [--wait] [--url URL] [--json]
       rouse gmail stop [--delete] [--remove] [--json]

  setup     logs in, creates what is needed, and writes hooks.gmail into the config (comments stay, a
            backup is kept) and the login into a file of its own. From then on every new mail becomes
            a run, once. On a terminal it asks for what is missing; with everything given it asks
            nothing. Run again, it changes only what differs.
  status    the state of the account, and what to do about it. Exit code 1 when mail is not read.
  test      sends a made-up mail through the running gateway: mapping, run, agent, reply. --wait
            prints the reply; --url gives another gateway address than the config's.
  stop      tells Gmail to send no more hints. --delete also deletes the subscription and the topic
            that setup created; --remove removes hooks.gmail from the config.

Setup options:
  --account ADDRESS         the mailbox, as a whole address
  --client FILE             an OAuth client of the type "Desktop app", as downloaded from Google Cloud
  --service-account FILE    instead: the key of a service account with domain-wide delegation
  --mode MODE               how Rouse learns of new mail: poll (default, nothing else to set up), pull
                            (Pub/Sub, no public address needed) or push (Pub/Sub to a public address)
  --label LABEL             only mail under this label, by name or id; default INBOX
  --new-login               log in again even if the stored login works
  --no-browser              open no browser: print the address, and paste the final one here
  --yes                     ask for no confirmation
  --dry-run                 print every call that would be made, and make none
  --print-gcloud            print the gcloud commands for what is needed in the cloud, and do nothing
  --json                    the steps as JSON; never asks
  --config FILE             the config to use (default: rouse.jsonc in ROUSE_HOME)

Setup options for pull and push:
  --project ID              the Google Cloud project; default: the client's
  --topic NAME, --subscription NAME
                            default rouse-gmail for both
  --push-endpoint URL       for push: where Google reaches the gateway, such as
                            https://HOST/gmail-pubsub
  --oidc-service-account ADDRESS
                            for push: the service account that signs Google's requests
  --audience TEXT           for push: what these are signed for; default the push endpoint
  --provisioned             topic, grant and subscription were created by others: do not check them

An OAuth app whose publishing status is "Testing" loses its login after seven days. See docs/gmail.md.

Examples:
  rouse gmail setup
  rouse gmail setup --account me@example.com --client client.json
  rouse gmail setup --account me@example.com --mode pull --dry-run
  rouse gmail test --wait`,
  syntax: {
    options: statusFlags,
    words: {
      setup: { options: setupFlags },
      status: { options: statusFlags },
      test: { options: testFlags },
      stop: { options: stopFlags },
    },
  },
  run,
};
