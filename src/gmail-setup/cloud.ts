// Topic, grant and subscription. Each is read first, and only made or changed where it differs.
import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../core/errors.ts";
import { type Fields, isFields } from "../mail/gmail/request.ts";
import { type Ask, GoogleRefusal } from "./ask.ts";
import {
  cloudCalls,
  type Endpoints,
  grantMadeByUs,
  madeByUs,
  type Policy,
  publisher,
  subscriptionSettings,
} from "./calls.ts";
import type { Step } from "./step.ts";
import type { Cloud } from "./goal.ts";
import { explained } from "./refusals.ts";

type Calls = ReturnType<typeof cloudCalls>;
type Scope = { ask: Ask; calls: Calls; cloud: Cloud };

export async function provision(
  ask: Ask,
  endpoints: Endpoints,
  cloud: Cloud,
  report: (done: Step) => void,
): Promise<Step[]> {
  const scope: Scope = { ask, calls: cloudCalls(endpoints, cloud), cloud };
  const step = async (what: string, action: () => Promise<Step>): Promise<Step> => {
    const done = await explained({ what, project: cloud.project }, action);
    report(done);
    return done;
  };
  const topic = await step(`Making the topic ${cloud.topic}`, () => ensureTopic(scope));
  const grant = await step(`Letting Gmail publish to ${cloud.topic}`, () => ensureGrant(scope));
  const labels = { ...madeByUs, ...(grant.state === "there" ? {} : grantMadeByUs) };
  const subscription = await step(`Making the subscription ${cloud.subscription}`, () =>
    ensureSubscription(scope, labels),
  );
  return [topic, grant, subscription];
}

async function ensureTopic({ ask, calls, cloud }: Scope): Promise<Step> {
  const found = await orNull(ask(calls.getTopic()));
  if (found === null) await unlessThere(ask(calls.makeTopic()));
  return { what: "topic", name: cloud.topic, state: found === null ? "made" : "there" };
}

const policyTries = 5;

/** Adds to the policy. Its etag makes Google refuse the change (409) when somebody else changed it meanwhile. */
async function ensureGrant({ ask, calls }: Scope): Promise<Step> {
  const done = { what: "grant", name: `${publisher.role} for ${publisher.member}` };
  for (let left = policyTries; ; left--) {
    const policy = (await ask(calls.getPolicy())) as Policy;
    if (isGranted(policy)) return { ...done, state: "there" };
    try {
      await ask(calls.setPolicy(withGrant(policy)));
      return { ...done, state: "made" };
    } catch (fault) {
      if (left <= 1 || !(fault instanceof GoogleRefusal) || fault.status !== 409) throw fault;
    }
  }
}

const isOurs = ({ role, condition }: NonNullable<Policy["bindings"]>[number]): boolean =>
  role === publisher.role && condition === undefined;

export const isGranted = ({ bindings = [] }: Policy): boolean =>
  bindings.some((binding) => isOurs(binding) && (binding.members ?? []).includes(publisher.member));

export function withGrant({ bindings = [], ...policy }: Policy): Policy {
  const at = bindings.findIndex(isOurs);
  const binding = bindings[at];
  if (binding === undefined)
    return { ...policy, bindings: [...bindings, { role: publisher.role, members: [publisher.member] }] };
  const members = [...(binding.members ?? []), publisher.member];
  return { ...policy, bindings: bindings.with(at, { ...binding, members }) };
}

export function withoutGrant({ bindings = [], ...policy }: Policy): Policy {
  const left = bindings.map((binding) =>
    isOurs(binding)
      ? { ...binding, members: (binding.members ?? []).filter((member) => member !== publisher.member) }
      : binding,
  );
  return { ...policy, bindings: left.filter(({ members = [] }) => members.length > 0) };
}

async function ensureSubscription(
  { ask, calls, cloud }: Scope,
  labels: Readonly<Record<string, string>>,
): Promise<Step> {
  const done = { what: "subscription", name: cloud.subscription };
  const found = await orNull(ask(calls.getSubscription()));
  if (found === null) {
    await ask(calls.makeSubscription(labels));
    return { ...done, state: "made" };
  }
  if (found["topic"] !== cloud.topic)
    throw new UsageError(
      `The subscription ${cloud.subscription} belongs to ${found["topic"] === "_deleted-topic_" ? "a topic that was deleted" : `the topic ${String(found["topic"])}`}, which cannot be changed. Give another name: --subscription NAME`,
    );
  const fields = differing(found, cloud);
  if (Object.keys(fields).length === 0) return { ...done, state: "there" };
  await ask(calls.changeSubscription(fields));
  return { ...done, state: "changed" };
}

/** The settings in which an existing subscription differs from ours. Fields that we do not set are kept. */
function differing(found: Fields, { push }: Cloud): Record<string, unknown> {
  const settings = subscriptionSettings(push);
  const isSame = {
    ackDeadlineSeconds: found["ackDeadlineSeconds"] === settings.ackDeadlineSeconds,
    expirationPolicy: isDeepStrictEqual(found["expirationPolicy"], settings.expirationPolicy),
    pushConfig: isDeepStrictEqual(pushOf(found["pushConfig"]), settings.pushConfig),
  };
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => !isSame[name as keyof typeof isSame]),
  );
}

/** Google adds attributes of its own (`x-goog-version`). */
function pushOf(found: unknown): object {
  const { pushEndpoint, oidcToken } = isFields(found) ? found : {};
  return pushEndpoint === undefined || pushEndpoint === "" ? {} : { pushEndpoint, oidcToken };
}

export async function orNull(response: Promise<Fields>): Promise<Fields | null> {
  try {
    return await response;
  } catch (fault) {
    if (fault instanceof GoogleRefusal && fault.status === 404) return null;
    throw fault;
  }
}

/** 409: somebody else made it in the same moment. */
async function unlessThere(response: Promise<Fields>): Promise<void> {
  try {
    await response;
  } catch (fault) {
    if (!(fault instanceof GoogleRefusal) || fault.status !== 409) throw fault;
  }
}
