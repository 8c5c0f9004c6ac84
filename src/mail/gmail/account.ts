// The Gmail watch: the engine on Gmail's mailbox, and the way its hints come.
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

/** Under the other modes the history is still looked at: hints can be late, and lost. */
const sweepMs = 300_000;

export function createGmailAccount(options: GmailAccountOptions): SyncedAccount {
  const { config, clock, log } = options;
  const { mailbox, api } = openGmail(options);
  const { topic } = config;
  const schedule = createMailSchedule({
    ...options,
    source: "gmail",
    mailbox,
    pollMs: config.mode === "poll" ? config.pollMs : sweepMs,
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

type Surroundings = Pick<GmailAccountOptions, "config" | "clock">;

/** The account's mailbox and the API behind it, for the watch and for commands. */
export function openGmail({ config, clock }: Surroundings): { mailbox: GmailMailbox; api: GmailApi } {
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

/** A service account pulls in its own name: the person's mailbox has nothing to do with the subscription. */
function pullOf(
  { config, clock }: Surroundings,
  onHint: (hint: Hint) => void,
  onTrouble: (message: string | null) => void,
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
  return createPull({ call, endpoint: endpoints.pubsub, subscription, clock, onHint, onTrouble });
}
