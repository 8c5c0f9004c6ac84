// Undoes a setup: Gmail sends no more hints, and what the setup made in the cloud is deleted. Nothing else is.
import { type Fields, isFields } from "../mail/gmail/request.ts";
import type { Ask } from "./ask.ts";
import { cloudCalls, type Endpoints, gmailCalls, grantMadeByUs, madeByUs, type Policy } from "./calls.ts";
import { isGranted, orNull, withoutGrant } from "./cloud.ts";
import type { Step } from "./step.ts";
import type { Cloud } from "./goal.ts";
import { explained } from "./refusals.ts";

export async function stopWatch(ask: Ask, endpoints: Endpoints, account: string): Promise<Step> {
  await explained({ what: "Stopping Gmail's hints", project: null }, () => ask(gmailCalls(endpoints).stop()));
  return { what: "watch", name: account, state: "removed" };
}

export async function removeFromCloud(ask: Ask, endpoints: Endpoints, cloud: Cloud): Promise<Step[]> {
  const calls = cloudCalls(endpoints, cloud);
  const doing = (what: string) => ({ what, project: cloud.project });
  const subscription = await explained(doing(`Deleting ${cloud.subscription}`), async () => {
    const found = await orNull(ask(calls.getSubscription()));
    const isOurs = hasLabels(found, madeByUs);
    if (isOurs) await ask(calls.deleteSubscription());
    return { done: removed("subscription", cloud.subscription, found, isOurs), found };
  });
  const topic = await explained(doing(`Deleting ${cloud.topic}`), () =>
    removeTopic(ask, calls, cloud, hasLabels(subscription.found, grantMadeByUs)),
  );
  return [subscription.done, ...topic];
}

/** Deletes the topic with its policy; a topic that somebody else made only loses the grant that we added. */
async function removeTopic(
  ask: Ask,
  calls: ReturnType<typeof cloudCalls>,
  { topic }: Cloud,
  isGrantOurs: boolean,
): Promise<Step[]> {
  const found = await orNull(ask(calls.getTopic()));
  const isOurs = hasLabels(found, madeByUs);
  if (!isOurs) {
    const left = removed("topic", topic, found, false);
    return found !== null && isGrantOurs ? [left, await removeGrant(ask, calls, topic)] : [left];
  }
  const { subscriptions } = await ask(calls.listSubscriptions());
  if (Array.isArray(subscriptions) && subscriptions.length > 0)
    return [{ what: "topic", name: topic, state: "left", note: "other subscriptions use it" }];
  await ask(calls.deleteTopic());
  return [removed("topic", topic, found, true)];
}

async function removeGrant(ask: Ask, calls: ReturnType<typeof cloudCalls>, topic: string): Promise<Step> {
  const policy = (await ask(calls.getPolicy())) as Policy;
  if (isGranted(policy)) await ask(calls.setPolicy(withoutGrant(policy)));
  return { what: "grant", name: topic, state: "removed" };
}

const hasLabels = (found: Fields | null, expected: Readonly<Record<string, string>>): boolean => {
  const labels = found?.["labels"];
  return isFields(labels) && Object.entries(expected).every(([name, value]) => labels[name] === value);
};

function removed(what: string, name: string, found: object | null, isOurs: boolean): Step {
  if (found === null) return { what, name, state: "left", note: "there is none" };
  return isOurs
    ? { what, name, state: "removed" }
    : { what, name, state: "left", note: "it was not made by Rouse" };
}
