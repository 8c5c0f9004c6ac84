// Subscriptions that are pulled or pushed.
import { randomUUID } from "node:crypto";
import { type GoogleRequest, type Json, notFound, ok, refused, type Reply } from "./http.ts";
import type { Topics } from "./topics.ts";

export type Subscription = {
  settings: Json;
  waiting: Json[];
  given: Map<string, Json>;
  wake: (() => void)[];
};
export type SendPush = (url: string, message: Json, subscription: Json) => Promise<number>;

export const newSubscription = (settings: Json): Subscription => ({
  settings,
  waiting: [],
  given: new Map(),
  wake: [],
});

export function createSubscriptions(topics: Topics, waitMs: number) {
  const subscriptions = new Map<string, Subscription>();

  function create(path: string, json: Json): Reply {
    if (subscriptions.has(path))
      return refused(409, "alreadyExists", "Resource already exists", "ALREADY_EXISTS");
    if (!topics.all.has(String(json["topic"]))) return notFound();
    const settings = { ackDeadlineSeconds: 10, ...json, name: path };
    subscriptions.set(path, newSubscription(settings));
    return ok(settings);
  }

  return {
    all: subscriptions,
    namesOf: (topic: string): string[] =>
      [...subscriptions].flatMap(([each, { settings }]) => (settings["topic"] === topic ? [each] : [])),
    respond(path: string, verb: string | undefined, { method, json }: GoogleRequest): Reply | Promise<Reply> {
      if (method === "PUT") return create(path, json);
      const found = subscriptions.get(path);
      if (!found) return notFound();
      if (verb === "pull") return pull(found, Number(json["maxMessages"] ?? 1), waitMs);
      if (verb === "acknowledge") {
        for (const ackId of json["ackIds"] as string[]) found.given.delete(ackId);
        return ok();
      }
      if (verb === "modifyPushConfig") found.settings = { ...found.settings, pushConfig: json["pushConfig"] };
      if (method === "PATCH") found.settings = { ...found.settings, ...changedFields(json) };
      if (method === "DELETE") subscriptions.delete(path);
      return ok(found.settings);
    },
  };
}

async function pull(subscription: Subscription, most: number, waitMs: number): Promise<Reply> {
  if (subscription.waiting.length === 0)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      subscription.wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  const receivedMessages = subscription.waiting.splice(0, most).map((message) => {
    const ackId = randomUUID();
    subscription.given.set(ackId, message);
    return { ackId, message };
  });
  return ok(receivedMessages.length > 0 ? { receivedMessages } : {});
}

function changedFields(json: Json): Json {
  const changed = json["subscription"] as Json;
  const fields = ((json["updateMask"] ?? "") as string).split(",");
  return Object.fromEntries(fields.map((field) => [field, changed[field]]));
}

/** Sends pushes as Pub/Sub does: again, until one is accepted. */
export function createPushes(sendPush: SendPush, statuses: number[]) {
  const pending = new Set<Promise<unknown>>();
  async function sendUntilAccepted(endpoint: string, message: Json, settings: Json): Promise<void> {
    for (let tries = 0; tries < 5; tries++) {
      const status = await sendPush(endpoint, message, settings);
      statuses.push(status);
      if (status >= 200 && status < 300) return;
    }
  }
  return {
    send(endpoint: string, message: Json, settings: Json): void {
      const sending = sendUntilAccepted(endpoint, message, settings);
      pending.add(sending);
      void sending.finally(() => pending.delete(sending));
    },
    settled: () => Promise.all(pending),
  };
}
