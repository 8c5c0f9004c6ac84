// Rules for `hooks.gmail`: what each mode needs, and which settings have no effect here.
import { resolveModel } from "../../core/model.ts";
import { unsafeWarning } from "./mapping.ts";
import type { Finding } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

type Found = { problems: Finding[]; warnings: Finding[] };

const notUsed = {
  pushToken: "has no effect: pushes are verified by their OIDC token (hooks.gmail.oidc)",
  hookUrl: "has no effect: mail goes to the hook gmail inside the gateway",
  serve: "has no effect: pushes arrive at hooks.gmail.pushPath of the gateway",
  tailscale: "has no effect: put an HTTPS proxy of your choice in front of hooks.gmail.pushPath",
} as const;

const taken = ["/healthz", "/readyz", "/api/v1"];

export function gmailRules({ hooks, agents }: Settings): Found {
  const { gmail } = hooks;
  if (gmail === undefined) return { problems: [], warnings: [] };
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  const at = (setting: string, message: string): Finding => ({ path: ["hooks", "gmail", setting], message });
  if (gmail.mode !== "poll" && gmail.topic === undefined)
    problems.push(at("topic", `is required when hooks.gmail.mode is ${gmail.mode}`));
  if (gmail.mode === "push" && gmail.oidc === undefined)
    problems.push(
      at("oidc", "is required when hooks.gmail.mode is push: nothing else proves where a push comes from"),
    );
  if (gmail.mode === "push" && isTaken(gmail.pushPath, hooks.path))
    problems.push(
      at("pushPath", "must not be under hooks.path, nor the path of a health check or of the admin API"),
    );
  if (gmail.account === undefined)
    warnings.push(at("account", "is not set: no mail is read. Set it up with: rouse gmail setup"));
  if (!hooks.enabled)
    warnings.push({ path: ["hooks", "gmail"], message: "has no effect while hooks.enabled is false" });
  for (const [setting, message] of Object.entries(notUsed))
    if (gmail[setting as keyof typeof notUsed] !== undefined) warnings.push(at(setting, message));
  if (gmail.model !== undefined && resolveModel(gmail.model, agents.defaults.models) === null)
    warnings.push(at("model", "is not in agents.defaults.models: every mail is refused"));
  if (gmail.allowUnsafeExternalContent)
    warnings.push(at("allowUnsafeExternalContent", unsafeWarning({ action: "agent", transform: null })));
  return { problems, warnings };
}

const isTaken = (path: string, hooksPath: string): boolean =>
  [hooksPath, ...taken].some((each) => path === each || path.startsWith(`${each}/`));
