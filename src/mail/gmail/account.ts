// A Gmail account: its mailbox on a schedule, with hints pulled from or pushed by Pub/Sub.
import type { GmailConfig } from "../../config/config.ts";
import type { Exchange } from "../../http/exchange.ts";
import { createMailSchedule, type MailScheduleOptions } from "../schedule.ts";
import type { SyncedAccount } from "../account.ts";
import { createGmailApi, type GmailApi } from "./api.ts";
import { createAuth, gmailScope, pubsubScope } from "./auth.ts";
import { createCaller } from "./call.ts";
import { createCerts } from "./certs.ts";
import { isNewer } from "./cursor.ts";
import type { Hint } from "./hint.ts";
import { createGmailMailbox, type GmailMailbox } from "./mailbox.ts";
import { createPace } from "./pace.ts";
import { createPull, type Pull } from "./pull.ts";
import { createPush } from "./push.ts";

export type GmailAccountOptions = Pick<
  MailScheduleOptions,
  "store" | "decide" | "clock" | "log" | "leaseMs" | "agentId" | "onStored" | "random"
> & { config: GmailConfig };

/** How often the mailbox is synced although hints come: they can be late or lost. */
const withHintsMs = 300_000;

export function createGmailAccount(options: GmailAccountOptions): SyncedAccount {
  const { config, clock, log } = options;
  const { mailbox, api } = openGmail(options);
  const { topic } = config;
  const schedule = createMailSchedule({
    ...options,
    source: "gmail",
    mailbox,
    pollMs: config.mode === "poll" ? config.pollMs : withHintsMs,
    withoutHintsMs: config.pollMs,
    limits: config.catchUp,
    remedy: "rouse gmail setup --new-login",
    isNewer,
    renewal:
      config.mode === "poll" || topic === null
        ? null
        : {
            everyMs: config.renewEveryMs,
            renew: async (signal) => api.watch(topic, await mailbox.labelId(signal), signal),
          },
  });
  const onHint = ({ emailAddress, historyId }: Hint): void => {
    if (emailAddress === config.account.toLowerCase()) schedule.hint(historyId);
    else log.debug("a hint is for another mailbox");
  };
  const pull = pullOf(options, onHint, (message) => schedule.setProblem("pull", message));
  const push =
    config.mode === "push" && config.oidc !== null
      ? createPush({
          expected: config.oidc,
          findKey: createCerts({ endpoint: config.endpoints.certs, clock }),
          clock,
          log,
          onHint,
        })
      : null;

  return {
    start() {
      schedule.start();
      pull?.start();
    },
    handles: (target) => push !== null && target.split("?", 1)[0] === config.pushPath,
    handle: (exchange: Exchange) => push?.(exchange),
    async stop() {
      await Promise.all([schedule.stop(), pull?.stop()]);
    },
  };
}

type OpenOptions = Pick<GmailAccountOptions, "config" | "clock">;

/** The account's mailbox and the API behind it, for the schedule and for commands. */
export function openGmail({ config, clock }: OpenOptions): { mailbox: GmailMailbox; api: GmailApi } {
  const { account, credentialsFile, endpoints } = config;
  const auth = createAuth({
    credentialsFile,
    subject: account,
    scope: gmailScope,
    endpoint: endpoints.oauth,
    clock,
  });
  const call = createCaller({ auth, clock, pace: createPace(clock) });
  const api = createGmailApi({ call, endpoint: endpoints.gmail });
  return { api, mailbox: createGmailMailbox({ config, api, clock }) };
}

/** A service account pulls in its own name: the subscription belongs to it, not to the mailbox's owner. */
function pullOf(
  { config, clock }: OpenOptions,
  onHint: (hint: Hint) => void,
  onProblem: (message: string | null) => void,
): Pull | null {
  const { subscription, credentialsFile, endpoints } = config;
  if (config.mode !== "pull" || subscription === null) return null;
  const auth = createAuth({
    credentialsFile,
    subject: null,
    scope: pubsubScope,
    endpoint: endpoints.oauth,
    clock,
  });
  const call = createCaller({ auth, clock });
  return createPull({ call, endpoint: endpoints.pubsub, subscription, clock, onHint, onProblem });
}
