// Checks that an agent's provider or service can be reached: for a provider by listing its models, which costs nothing;
// for the user's own service by opening a connection.
import { connect } from "node:net";
import type { Config, ProviderConfig } from "../../config/config.ts";
import { resolveModel } from "../../core/model.ts";
import { withoutEndSlash } from "../../core/text.ts";
import { faultCode } from "../send/post.ts";

export type Reached = { status: "ok" | "warn" | "fail"; message: string; fix: string | null };

const timeoutMs = 2000;

const defaultAddress = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  "openai-compatible": "",
} as const;

/** The provider of the agent's model. The rules of the config make sure that there is one. */
export function providerOf(
  model: string | null,
  { agents, models }: Pick<Config, "agents" | "models">,
): { name: string; provider: ProviderConfig } | null {
  const id = model === null ? null : (resolveModel(model, agents.models) ?? model);
  const name = id?.slice(0, id.indexOf("/")) ?? "";
  const provider = Object.hasOwn(models.providers, name) ? models.providers[name] : undefined;
  return provider === undefined ? null : { name, provider };
}

export async function reachProvider(name: string, provider: ProviderConfig): Promise<Reached> {
  const base = withoutEndSlash(provider.baseUrl ?? defaultAddress[provider.kind]);
  try {
    const response = await fetch(`${base}/models`, {
      headers: headersOf(provider),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return judge(name, response.status);
  } catch (fault) {
    const message = `its provider ${name} could not be reached (${faultCode(fault)})`;
    return { status: "warn", message, fix: `Check that it runs, and models.providers.${name}.baseUrl.` };
  }
}

function headersOf({ kind, apiKey }: ProviderConfig): Record<string, string> {
  if (apiKey === null) return {};
  if (kind === "anthropic") return { "x-api-key": apiKey, "anthropic-version": "2023-06-01" };
  return kind === "google" ? { "x-goog-api-key": apiKey } : { authorization: `Bearer ${apiKey}` };
}

function judge(name: string, status: number): Reached {
  const fix = `See models.providers.${name}.apiKey.`;
  if (status === 401 || status === 403)
    return { status: "fail", message: `its provider ${name} did not accept the key (status ${status})`, fix };
  // Google responds to an invalid key with 400.
  if (status === 400)
    return { status: "fail", message: `its provider ${name} refused the key or the request`, fix };
  if (status === 429 || status >= 500)
    return {
      status: "warn",
      message: `its provider ${name} responds with status ${status}`,
      fix: "Try again later.",
    };
  if (status >= 300 && status < 400)
    return {
      status: "warn",
      message: `its provider ${name} points elsewhere (status ${status})`,
      fix: `See models.providers.${name}.baseUrl.`,
    };
  return { status: "ok", message: `its provider ${name} responds`, fix: null };
}

export function reachService(url: string): Promise<Reached> {
  const { hostname, port, protocol, host } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<Reached>();
  const unreachable = (code: string) =>
    resolve({
      status: "warn",
      message: `your service on ${host} could not be reached (${code})`,
      fix: "Check that it runs, and the agent's url.",
    });
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
    timeout: timeoutMs,
  });
  socket.on("connect", () =>
    resolve({ status: "ok", message: `your service on ${host} can be reached`, fix: null }),
  );
  socket.on("timeout", () => unreachable("no response"));
  socket.on("error", (fault) => unreachable(faultCode(fault)));
  return promise.finally(() => socket.destroy());
}
