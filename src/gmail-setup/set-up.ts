// The setup, step by step. Each step changes only what differs from the goal, and is reported at once. The config comes
// last, so that a setup that fails half way is not in use.
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { MailAccount } from "../core/mail.ts";
import { type Ask, createAsk } from "./ask.ts";
import type { Endpoints } from "./calls.ts";
import { provision } from "./cloud.ts";
import { readCredentials, writeCredentials } from "./credentials.ts";
import { type CursorStore, findAccount, gmailAccountId, setFirstCursor } from "./cursor.ts";
import type { Step } from "./step.ts";
import { type Login, logIn, type LoginOptions } from "./login.ts";
import { checkAccount, findLabel } from "./mailbox.ts";
import { enablingEdits, gmailEdits, writeSettings } from "./settings.ts";
import { scopesFor, type Goal } from "./goal.ts";
import { startWatch, type WatchStart } from "./watch-start.ts";

export type SetupOptions = Pick<LoginOptions, "source" | "newLogin" | "visit"> & {
  goal: Goal;
  config: Config;
  credentialsFile: string;
  /** Null when the store cannot be used now; the gateway's first sync sets the cursor then. */
  store: CursorStore | null;
  endpoints: Endpoints;
  env: NodeJS.ProcessEnv;
  clock: Clock;
  report: (done: Step) => void;
};

export type SetupResult = {
  login: "account" | "service-account";
  /** Time until the login ends; null when unknown. */
  loginSeconds: number | null;
};

export async function setUp(options: SetupOptions): Promise<SetupResult> {
  const { goal, config, credentialsFile, endpoints, clock, env, report } = options;
  const { account } = goal;
  const kept = readCredentials(credentialsFile);
  const scopes = scopesFor(goal);
  const login = await logIn({ ...options, account, scopes, kept });
  const ask = createAsk(login.token.accessToken, clock);
  const cursor = await checkAccount(ask, endpoints, account);
  report({ what: "login", name: account, state: login.isNew ? "made" : "there" });
  const labelId = await findLabel(ask, endpoints, goal.label);
  const known = options.store && (await findAccount(options.store, account));
  const watch = await setUpCloud(
    { ask, cloudAsk: createAsk(login.cloudToken.accessToken, clock), labelId, known },
    options,
  );
  const isWritten = writeCredentials(credentialsFile, login.credentials);
  const state = !isWritten ? "there" : kept === null ? "made" : "changed";
  report({ what: "credentials", name: credentialsFile, state });
  report(await noteInStore({ cursor, watch, known, login }, options));
  const edits = [...enablingEdits(config), ...gmailEdits(goal, credentialsFile, config)];
  report(writeSettings(config, edits, env));
  const isService = login.credentials.type === "service_account";
  return {
    login: isService ? "service-account" : "account",
    loginSeconds: login.token.refreshTokenSeconds,
  };
}

async function setUpCloud(
  { ask, cloudAsk, labelId, known }: { ask: Ask; cloudAsk: Ask; labelId: string; known: MailAccount | null },
  { goal, config, endpoints, clock, report }: SetupOptions,
): Promise<WatchStart | null> {
  const { cloud } = goal;
  if (cloud === null) return null;
  const steps: Step[] = cloud.provisioned
    ? [{ what: "topic", name: cloud.topic, state: "left", note: "taken as it is (--provisioned)" }]
    : await provision(cloudAsk, endpoints, cloud, report);
  if (cloud.provisioned) steps.forEach(report);
  const isJustGranted = steps.some(({ what, state }) => what === "grant" && state === "made");
  const before = config.hooks.gmail;
  const watch = await startWatch({
    ask,
    endpoints,
    goal,
    cloud,
    labelId,
    before,
    known,
    isJustGranted,
    clock,
  });
  report(watch.done);
  return watch;
}

const renewInMs = 12 * 3_600_000;

async function noteInStore(
  found: { cursor: string; watch: WatchStart | null; known: MailAccount | null; login: Login },
  { goal: { account }, store }: SetupOptions,
): Promise<Step> {
  const id = gmailAccountId(account);
  if (store === null)
    return { what: "cursor", name: id, state: "left", note: "the gateway sets it at its first sync" };
  const done = await setFirstCursor(store, account, found.cursor);
  const expiration = found.watch?.expiration ?? null;
  if (expiration !== null) await store.noteSubscription(id, { lease: null, expiration, dueInMs: renewInMs });
  if (found.login.isNew && found.known?.status === "needs-reauth")
    await store.noteMail({ id, lease: null, status: "ok", error: null, notice: null });
  return done;
}
