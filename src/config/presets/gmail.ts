// The mapping for new mail: one run for each message.
import type { MappingSettings } from "../schema/mapping.ts";

export const gmail: MappingSettings = {
  id: "gmail",
  match: { path: "gmail" },
  name: "Gmail",
  forEach: "messages",
  sessionKey: "hook:gmail:{{ messages[0].id }}",
  messageTemplate: `A new mail has come in.

From: {{ messages[0].from }}
Subject: {{ messages[0].subject }}
Snippet: {{ messages[0].snippet }}
Body: {{ messages[0].body }}`,
};
