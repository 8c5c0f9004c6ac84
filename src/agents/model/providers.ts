// From a model's id to the model: `provider/model`, the provider by the name the config gives it. The library of a
// kind is loaded when a model of that kind is first called. Addresses and keys come from the config alone: left to
// themselves, the libraries would take them from the environment.
import type { LanguageModel } from "ai";
import type { ModelsConfig, ProviderConfig, ProviderKind } from "../../config/config.ts";
import { boundedFetch } from "../../core/response-body.ts";
import { cutWithMark } from "../../core/text.ts";

/** Never the bare id, which the library would send to a gateway of its maker. */
export type Model = Exclude<LanguageModel, string>;

export type Chosen =
  | { ok: true; provider: string; kind: ProviderKind; name: string; load: () => Promise<Model> }
  | { ok: false; reason: string };

type Access = { baseURL: string; apiKey: string; fetch: typeof fetch };

const longestShownId = 100;
/**
 * The longest replies of today's models come as some 40 MB of small events. Other bodies are errors. What of all this is
 * kept is bounded in `ask`.
 */
const limits = { mostBytes: 1_048_576, events: { mostBytes: 67_108_864, mostEventBytes: 4_194_304 } };
/** For the user's own servers that need no key. */
const noKey = "none";

const makersAddress: Readonly<Record<Exclude<ProviderKind, "openai-compatible">, string>> = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

export function chooseModel(
  id: string | null,
  providers: ModelsConfig["providers"],
  fetch?: typeof globalThis.fetch,
): Chosen {
  if (id === null) return { ok: false, reason: "no model is configured for this agent" };
  const shown = cutWithMark(id, longestShownId);
  const slash = id.indexOf("/");
  if (slash < 1 || slash === id.length - 1)
    return { ok: false, reason: `the model ${shown} is not written as provider/model` };
  const provider = id.slice(0, slash);
  const config = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (config === undefined)
    return { ok: false, reason: `the provider of the model ${shown} is not in models.providers` };
  const access = accessOf(config);
  if (access === null) return { ok: false, reason: `the provider ${provider} has no ${lacking(config)}` };
  const name = id.slice(slash + 1);
  const load = () => makers[config.kind](name, { ...access, fetch: boundedFetch(limits, fetch) });
  return { ok: true, provider, kind: config.kind, name, load };
}

function accessOf({ kind, baseUrl, apiKey }: ProviderConfig): Omit<Access, "fetch"> | null {
  if (baseUrl !== null) return { baseURL: baseUrl, apiKey: apiKey ?? noKey };
  if (kind === "openai-compatible" || apiKey === null) return null;
  return { baseURL: makersAddress[kind], apiKey };
}

const lacking = ({ kind }: ProviderConfig): string => (kind === "openai-compatible" ? "baseUrl" : "apiKey");

const makers: Readonly<Record<ProviderKind, (name: string, access: Access) => Promise<Model>>> = {
  async "openai-compatible"(name, { apiKey, ...access }) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const key = apiKey === noKey ? {} : { apiKey };
    return createOpenAICompatible({ name: "server", includeUsage: true, ...access, ...key }).chatModel(name);
  },
  async openai(name, access) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    return createOpenAI(access).responses(name);
  },
  async anthropic(name, access) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(access).messages(name);
  },
  async google(name, access) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle(access).chat(name);
  },
};
