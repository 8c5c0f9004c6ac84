// The table of senders.
import type { SenderKind } from "../kind.ts";
import { customDescription } from "../custom.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { linear } from "./linear.ts";
import { slack } from "./slack.ts";
import { standardWebhooks } from "./standard-webhooks.ts";
import { stripe } from "./stripe.ts";

const all: readonly SenderKind[] = [
  customDescription,
  github,
  gitlab,
  linear,
  slack,
  standardWebhooks,
  stripe,
];

export const senderKinds: ReadonlyMap<string, SenderKind> = new Map(all.map((kind) => [kind.id, kind]));
