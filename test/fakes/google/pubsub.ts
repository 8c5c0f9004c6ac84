// Topics, their policies, and subscriptions that are pulled or pushed.
import { randomUUID } from "node:crypto";
import { type GoogleRequest, type Json, notFound, ok, type Part, refused, type Reply } from "./http.ts";

export type HintMode = "once" | "doubled" | "dropped" | "held";

type Subscription = { settings: Json; waiting: Json[]; given: Map<string, Json>; wake: (() => void)[] };
type Topic = { settings: Json; policy: Json };
export type SendPush = (url: string, message: Json, subscription: Json) => Promise<number>;

const publisher = "serviceAccount:gmail-api-push@system.gserviceaccount.com";
const name = /^\/v1\/(projects\/[^/]+\/(topics|subscriptions)\/[^/:]+)(?::(\w+))?$/;

export function createPubsub({ sendPush, waitMs = 100 }: { sendPush: SendPush; waitMs?: number }) {
  const topics = new Map<string, Topic>();
  const subscriptions = new Map<string, Subscription>();
  const held: [topic: string, data: Json][] = [];
  const state: { hints: HintMode; pushes: number[] } = { hints: "once", pushes: [] };
  const underWay = new Set<Promise<unknown>>();

  function enqueue(topic: string, data: Json): void {
    for (const each of subscriptions.values()) {
      if (each.settings["topic"] !== topic) continue;
      const message = {
        data: Buffer.from(JSON.stringify(data)).toString("base64"),
        messageId: randomUUID(),
        publishTime: new Date().toISOString(),
      };
      const endpoint = (each.settings["pushConfig"] as Json | undefined)?.["pushEndpoint"];
      if (typeof endpoint === "string" && endpoint !== "") push(endpoint, message, each.settings);
      else {
        each.waiting.push(message);
        for (const wake of each.wake.splice(0)) wake();
      }
    }
  }

  /** As Pub/Sub does: again, until it is taken. */
  function push(endpoint: string, message: Json, settings: Json): void {
    const sending = (async () => {
      for (let tries = 0; tries < 5; tries++) {
        const status = await sendPush(endpoint, message, settings);
        state.pushes.push(status);
        if (status >= 200 && status < 300) return;
      }
    })();
    underWay.add(sending);
    void sending.finally(() => underWay.delete(sending));
  }

  function publish(topic: string, data: Json): void {
    if (state.hints === "held") held.push([topic, data]);
    else if (state.hints !== "dropped") {
      enqueue(topic, data);
      if (state.hints === "doubled") enqueue(topic, data);
    }
  }

  async function pull(subscription: Subscription, most: number): Promise<Reply> {
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

  function onTopic(path: string, verb: string | undefined, { method, json }: GoogleRequest): Reply {
    const topic = topics.get(path);
    if (method === "PUT") {
      if (topic) return refused(409, "alreadyExists", "Resource already exists", "ALREADY_EXISTS");
      topics.set(path, { settings: { ...json, name: path }, policy: { version: 1, etag: "e1" } });
      return ok({ ...json, name: path });
    }
    if (!topic) return notFound();
    if (verb === "getIamPolicy") return ok(topic.policy);
    if (verb === "setIamPolicy") {
      const policy = json["policy"] as Json;
      if (policy["etag"] !== undefined && policy["etag"] !== topic.policy["etag"])
        return refused(409, "aborted", "The policy was changed meanwhile", "ABORTED");
      topic.policy = { ...policy, etag: `e${Math.random()}` };
      return ok(topic.policy);
    }
    if (method === "DELETE") topics.delete(path);
    return ok(topic.settings);
  }

  function onSubscription(
    path: string,
    verb: string | undefined,
    { method, json }: GoogleRequest,
  ): Reply | Promise<Reply> {
    const found = subscriptions.get(path);
    if (method === "PUT") {
      if (found) return refused(409, "alreadyExists", "Resource already exists", "ALREADY_EXISTS");
      if (!topics.has(String(json["topic"]))) return notFound();
      const settings = { ackDeadlineSeconds: 10, ...json, name: path };
      subscriptions.set(path, { settings, waiting: [], given: new Map(), wake: [] });
      return ok(settings);
    }
    if (!found) return notFound();
    if (verb === "pull") return pull(found, Number(json["maxMessages"] ?? 1));
    if (verb === "acknowledge") {
      for (const ackId of json["ackIds"] as string[]) found.given.delete(ackId);
      return ok();
    }
    if (verb === "modifyPushConfig") found.settings = { ...found.settings, pushConfig: json["pushConfig"] };
    if (method === "PATCH") {
      const changed = json["subscription"] as Json;
      const fields = ((json["updateMask"] ?? "") as string).split(",");
      found.settings = {
        ...found.settings,
        ...Object.fromEntries(fields.map((field) => [field, changed[field]])),
      };
    }
    if (method === "DELETE") subscriptions.delete(path);
    return ok(found.settings);
  }

  const part: Part = (request) => {
    const listed = /^\/v1\/(projects\/[^/]+\/topics\/[^/:]+)\/subscriptions$/.exec(request.path)?.[1];
    if (listed !== undefined) {
      const names = [...subscriptions].flatMap(([each, { settings }]) =>
        settings["topic"] === listed ? [each] : [],
      );
      return ok(names.length > 0 ? { subscriptions: names } : {});
    }
    const [, path = "", kind, verb] = name.exec(request.path) ?? [];
    if (kind === "topics") return onTopic(path, verb, request);
    return kind === "subscriptions" ? onSubscription(path, verb, request) : null;
  };

  return {
    part,
    state,
    publish,
    topics,
    subscriptions,
    /** Sends the held messages in this order. */
    sendHeld(order: (waiting: [string, Json][]) => [string, Json][] = (waiting) => waiting): void {
      for (const [topic, data] of order(held.splice(0))) enqueue(topic, data);
    },
    /** Messages that were pulled and not acknowledged are pulled again. */
    redeliver(): void {
      for (const each of subscriptions.values()) {
        each.waiting.push(...each.given.values());
        each.given.clear();
      }
    },
    topicFault(topic: string): Reply | null {
      const found = topics.get(topic);
      if (!found) return refused(404, "notFound", "Resource not found", "NOT_FOUND");
      const bindings = (found.policy["bindings"] ?? []) as { role: string; members?: string[] }[];
      const isGranted = bindings.some(
        ({ role, members }) => role === "roles/pubsub.publisher" && members?.includes(publisher),
      );
      return isGranted
        ? null
        : refused(
            403,
            "forbidden",
            `Error sending test message to Cloud PubSub ${topic}`,
            "PERMISSION_DENIED",
          );
    },
    /** A topic that Gmail may publish to, and a subscription of it. */
    provision(topic: string, subscription: string, pushConfig: Json = {}): void {
      const bindings = [{ role: "roles/pubsub.publisher", members: [publisher] }];
      topics.set(topic, { settings: { name: topic }, policy: { version: 1, etag: "e1", bindings } });
      const settings = { name: subscription, topic, pushConfig };
      subscriptions.set(subscription, { settings, waiting: [], given: new Map(), wake: [] });
    },
    settled: () => Promise.all(underWay),
  };
}
