// `rouse senders`: systems that prove their requests: lists them, adds one, pairs one, removes one.
import { nearest } from "../../core/nearest.ts";
import { addFlags, listFlags, pairFlags, removeFlags } from "../senders/options.ts";
import { unknownVerb } from "../terminal/arguments.ts";
import { type Command, type Context, WrongUsage } from "../command.ts";

const verbs: Readonly<Record<string, () => Promise<(context: Context) => Promise<number>>>> = {
  kinds: async () => (await import("../senders/kinds.ts")).runKinds,
  add: async () => (await import("../senders/add.ts")).runAdd,
  pair: async () => (await import("../senders/pair.ts")).runPair,
  remove: async () => (await import("../senders/remove.ts")).runRemove,
};

async function run(context: Context): Promise<number> {
  const [verb = "", ...argv] = context.argv;
  const load = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (load) return (await load())({ ...context, argv });
  if (verb === "" || verb.startsWith("-")) return (await import("../senders/list.ts")).runList(context);
  const known = Object.keys(verbs);
  if (nearest(verb, known) !== null) throw unknownVerb(verb, known);
  throw new WrongUsage("Give a verb: kinds, add, pair or remove; none lists the senders");
}

export const command: Command = {
  name: "senders",
  summary: "systems that sign their requests: list, kinds, add, pair, remove",
  help: `Usage: rouse senders [--json]
       rouse senders kinds [KIND] [--json]
       rouse senders add KIND [NAME] [ADD OPTIONS] [--json]
       rouse senders pair NAME [--replace] [--json]
       rouse senders remove NAME [--keep-mappings] [--yes] [--json]

  (none)    the senders of the config: address, last call, last success, the difference of the clocks,
            failures by class (wrong-secret, body-changed, too-old, header-missing), mappings.
  kinds     what Rouse knows: the table of docs/senders.md. With KIND: what is checked, where the
            secret is, what to paste, how it tries again.
  add       writes a sender and a mapping that works into the config (comments stay, a backup is
            kept) and its secret into a file that only you can read, and prints what to paste where.
            Makes the secret where it is ours to choose. On a terminal it asks for what is missing.
            NAME is the hook's name; default: KIND.
  pair      for senders whose key arrives by request (Notion, Asana): for ten minutes, the first key
            is taken, once. --replace takes another in place of the one that is there.
  remove    takes a sender out of the config, with its mappings and its secret; a backup of the config
            is kept. --keep-mappings leaves the mappings: the hook token opens that hook then. A mapping
            with match.event cannot stay: only senders name an event. It asks first; --yes says that you
            are sure, and is needed without a terminal.

Add options:
  --secret-file FILE       the secret is in this file, which the config then names
  --secret -               the secret comes on standard input, and is kept in a file beside the config
  --public-key KEY         where the sender signs with a private key: its public one
  --public-key-file FILE   the same, in a file
  --public-url URL         where the sender reaches the hook: its whole address, or that of the host
  --verify-token TEXT      the word that the sender repeats (Meta); made, when it is left out
  --origin ORIGIN          an origin that may ask for consent (CloudEvents); may be repeated
  --topic-arn ARN          a topic whose messages are taken (Amazon SNS); may be repeated
  --audience TEXT          whom the sender's token must be for (Google Pub/Sub)
  --service-account ADDRESS
                           the service account that the sender's token must be of (Google Pub/Sub)
  --webhook-id ID          the webhook's id (PayPal)
  --header NAME            the header that carries the secret, for kinds without a signature
  --custom FILE            for the kind custom: how it proves itself, as JSON (docs/senders.md)
  --mapping TOPIC          a ready mapping, such as workflow-failed; may be repeated. "senders kinds
                           KIND" lists them. Default: the first

Options:
  --json         as JSON; never asks
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse senders add github
  rouse senders add stripe --secret-file stripe-secret
  rouse senders add github ci --mapping workflow-failed
  rouse senders pair notion`,
  syntax: {
    options: listFlags,
    words: {
      kinds: { options: listFlags },
      add: { options: addFlags },
      pair: { options: pairFlags },
      remove: { options: removeFlags },
    },
  },
  run,
};
