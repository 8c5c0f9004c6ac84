// Completes callbacks.
import { withoutEndSlash } from "../../core/text.ts";
import type { CallbackConfig } from "../config.ts";
import type { CallbackSettings } from "../schema/callbacks.ts";

const publicApis = {
  standard: null,
  "slack-response": null,
  "github-comment": "https://api.github.com",
  "gitlab-comment": "https://gitlab.com/api/v4",
} as const;

export const buildCallbacks = (
  callbacks: Readonly<Record<string, CallbackSettings>>,
): ReadonlyMap<string, CallbackConfig> =>
  new Map(
    Object.entries(callbacks).map(([name, { format, url, secret, token, body, allowPrivate }]) => [
      name,
      {
        format,
        url: format === "standard" ? (url ?? null) : withoutEndSlash(url ?? publicApis[format] ?? ""),
        secret: secret?.trim() || null,
        token: token?.trim() || null,
        isThin: body === "thin",
        allowPrivate,
      },
    ]),
  );
