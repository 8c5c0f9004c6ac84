// Pub/Sub: messages from topics to subscriptions.
import { randomUUID } from "node:crypto";
import { type Json, ok, type Part } from "./http.ts";
import { createPushes, createSubscriptions, newSubscription, type SendPush } from "./subscriptions.ts";
import { createTopics, publisher } from "./topics.ts";

export type HintMode = "once" | "doubled" | "dropped" | "held";

const name = /^\/v1\/(projects\/[^/]+\/(topics|subscriptions)\/[^/:]+)(?::(\w+))?$/;
const listing = /^\/v1\/(projects\/[^/]+\/topics\/[^/:]+)\/subscriptions$/;

export function createPubsub({ sendPush, waitMs = 100 }: { sendPush: SendPush; waitMs?: number }) {
  const topics = createTopics();
  const subscriptions = createSubscriptions(topics, waitMs);
  const held: [topic: string, data: Json][] = [];
  const state: { hints: HintMode; pushes: number[] } = { hints: "once", pushes: [] };
  const pushes = createPushes(sendPush, state.pushes);

  function enqueue(topic: string, data: Json): void {
    for (const each of subscriptions.all.values()) {
      if (each.settings["topic"] !== topic) continue;
      const message = {
        data: Buffer.from(JSON.stringify(data)).toString("base64"),
        messageId: randomUUID(),
        publishTime: new Date().toISOString(),
      };
      const endpoint = (each.settings["pushConfig"] as Json | undefined)?.["pushEndpoint"];
      if (typeof endpoint === "string" && endpoint !== "") pushes.send(endpoint, message, each.settings);
      else {
        each.waiting.push(message);
        for (const wake of each.wake.splice(0)) wake();
      }
    }
  }

  const part: Part = (request) => {
    const listed = listing.exec(request.path)?.[1];
    if (listed !== undefined) {
      const names = subscriptions.namesOf(listed);
      return ok(names.length > 0 ? { subscriptions: names } : {});
    }
    const [, path = "", kind, verb] = name.exec(request.path) ?? [];
    if (kind === "topics") return topics.respond(path, verb, request);
    return kind === "subscriptions" ? subscriptions.respond(path, verb, request) : null;
  };

  return {
    part,
    state,
    topics: topics.all,
    subscriptions: subscriptions.all,
    topicFault: (topic: string) => topics.fault(topic),
    settled: () => pushes.settled(),
    publish(topic: string, data: Json): void {
      if (state.hints === "held") held.push([topic, data]);
      else if (state.hints !== "dropped") {
        enqueue(topic, data);
        if (state.hints === "doubled") enqueue(topic, data);
      }
    },
    /** Sends the held messages in this order. */
    sendHeld(order: (waiting: [string, Json][]) => [string, Json][] = (waiting) => waiting): void {
      for (const [topic, data] of order(held.splice(0))) enqueue(topic, data);
    },
    /** Messages that were pulled and not acknowledged are pulled again. */
    redeliver(): void {
      for (const each of subscriptions.all.values()) {
        each.waiting.push(...each.given.values());
        each.given.clear();
      }
    },
    /** A topic that Gmail may publish to, and a subscription of it. */
    provision(topic: string, subscription: string, pushConfig: Json = {}): void {
      const bindings = [{ role: "roles/pubsub.publisher", members: [publisher] }];
      topics.all.set(topic, { settings: { name: topic }, policy: { version: 1, etag: "e1", bindings } });
      subscriptions.all.set(subscription, newSubscription({ name: subscription, topic, pushConfig }));
    },
  };
}
