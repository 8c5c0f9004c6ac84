// Topics and their policies.
import { type GoogleRequest, type Json, notFound, ok, refused, type Reply } from "./http.ts";

export type Topic = { settings: Json; policy: Json };
export type Topics = ReturnType<typeof createTopics>;

export const publisher = "serviceAccount:gmail-api-push@system.gserviceaccount.com";

export function createTopics() {
  const topics = new Map<string, Topic>();
  return {
    all: topics,
    respond(path: string, verb: string | undefined, { method, json }: GoogleRequest): Reply {
      const topic = topics.get(path);
      if (method === "PUT") {
        if (topic) return refused(409, "alreadyExists", "Resource already exists", "ALREADY_EXISTS");
        topics.set(path, { settings: { ...json, name: path }, policy: { version: 1, etag: "e1" } });
        return ok({ ...json, name: path });
      }
      if (!topic) return notFound();
      if (verb === "getIamPolicy") return ok(topic.policy);
      if (verb === "setIamPolicy") return setPolicy(topic, json["policy"] as Json);
      if (method === "DELETE") topics.delete(path);
      return ok(topic.settings);
    },
    /** Why Gmail cannot publish to the topic; null when it can. */
    fault(path: string): Reply | null {
      const topic = topics.get(path);
      if (!topic) return refused(404, "notFound", "Resource not found", "NOT_FOUND");
      const message = `Error sending test message to Cloud PubSub ${path}`;
      return isGranted(topic) ? null : refused(403, "forbidden", message, "PERMISSION_DENIED");
    },
  };
}

function setPolicy(topic: Topic, policy: Json): Reply {
  if (policy["etag"] !== undefined && policy["etag"] !== topic.policy["etag"])
    return refused(409, "aborted", "The policy was changed meanwhile", "ABORTED");
  topic.policy = { ...policy, etag: `e${Math.random()}` };
  return ok(topic.policy);
}

function isGranted({ policy }: Topic): boolean {
  const bindings = (policy["bindings"] ?? []) as { role: string; members?: string[] }[];
  return bindings.some(
    ({ role, members }) => role === "roles/pubsub.publisher" && members?.includes(publisher),
  );
}
