// Channels that are modules: users' own, named in `channels.plugins`, and one of ours.
import { stat } from "node:fs/promises";
import { registerHooks } from "node:module";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Channel, ChannelPlugin, ChannelTools } from "../sdk/channel.ts";
import { channels } from "../config/schema/channels.ts";
import { boundedFetch } from "../core/response-body.ts";
import { lastChannel } from "../core/target.ts";
import { explain, guarded } from "./guarded.ts";

export type LoadedPlugin = { ok: true; plugin: ChannelPlugin } | { ok: false; message: string };
export type OpenedPlugin = { ok: true; channel: Channel } | { ok: false; message: string };

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const types = new URL(`../sdk/channel.${extension}`, import.meta.url).href;
/** Of a response that a module reads; it may read it whole. */
const mostBytes = 16_777_216;
const idForm = /^[a-z][a-z0-9-]{0,31}$/;

/** Mattermost's file, for `loadPlugin`. */
export const mattermostFile = fileURLToPath(new URL(`./mattermost.${extension}`, import.meta.url));

/** An edited file is loaded again; files that it imports are not. */
export async function loadPlugin(file: string): Promise<LoadedPlugin> {
  const hooks = registerPluginHooks(pathToFileURL(file).href);
  try {
    const about = await stat(file);
    // Importing a pipe would wait for its other end.
    if (!about.isFile()) return { ok: false, message: `${basename(file)} is not a regular file` };
    const exported = (await import(`${pathToFileURL(file).href}?v=${about.mtimeMs}`)) as {
      default?: unknown;
    };
    return checked(file, exported.default);
  } catch (fault) {
    return { ok: false, message: `${basename(file)} cannot be loaded: ${explain(fault)}` };
  } finally {
    hooks.deregister();
  }
}

/**
 * `import { type Channel } from "rouse/channel"` stays as an import without names, which fails in a folder where this
 * package is not installed. And a package.json with `"type": "commonjs"` would have Node read a `.ts` file as CommonJS.
 */
const registerPluginHooks = (module: string) =>
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "rouse/channel" ? { url: types, shortCircuit: true } : next(specifier, context),
    load(url, context, next) {
      const isMistaken = context.format === "commonjs-typescript" && url.startsWith(`${module}?`);
      return next(url, isMistaken ? { ...context, format: "module-typescript" } : context);
    },
  });

function checked(file: string, exported: unknown): LoadedPlugin {
  const refused = (what: string): LoadedPlugin => ({ ok: false, message: `${basename(file)}: ${what}` });
  if (typeof exported !== "object" || exported === null)
    return refused("its default export must be a ChannelPlugin: { id, create }");
  const { id, create } = exported as Record<string, unknown>;
  if (typeof id !== "string" || !idForm.test(id))
    return refused("id must be 1 to 32 small letters, digits and dashes, starting with a letter");
  const isTaken = id === lastChannel || Object.hasOwn(channels.shape, id);
  if (isTaken && file !== mattermostFile) return refused(`the id ${id} is taken: choose another`);
  if (typeof create !== "function") return refused("create must be a function");
  return { ok: true, plugin: exported as ChannelPlugin };
}

/** The plugin's channel, if it is one. */
export function openPlugin(plugin: ChannelPlugin, settings: unknown, tools: ChannelTools): OpenedPlugin {
  let channel: Channel;
  try {
    channel = plugin.create(settings, { ...tools, fetch: boundedFetch({ mostBytes }, tools.fetch) });
  } catch (fault) {
    return { ok: false, message: `${plugin.id}: ${explain(fault)}` };
  }
  const missing = (["recipientFault", "render", "send", "check"] as const).filter(
    (name) => typeof (channel as Partial<Channel> | null | undefined)?.[name] !== "function",
  );
  if (missing.length > 0)
    return { ok: false, message: `${plugin.id}: its channel has no function ${missing.join(", ")}` };
  return { ok: true, channel: guarded(channel) };
}
