// The model and the thinking level a run asks for, where the agent lets its client choose them.
import { type ClientContext, RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { cutWithMark, oneLine } from "../../core/text.ts";

const choice = z.object({ value: z.string(), name: z.string().optional().catch(undefined) });
const group = z.object({ options: z.array(choice) });
const setting = z.object({
  id: z.string(),
  type: z.literal("select"),
  category: z.string(),
  currentValue: z.string().optional().catch(undefined),
  options: z
    .array(z.union([group.transform(({ options }) => options), choice]))
    .transform((each) => each.flat()),
});
type Setting = z.infer<typeof setting>;

export type Wanted = { model: string | null; thinking: string | null };
type Session = { agent: ClientContext; sessionId: string; configOptions: unknown };

/** Returns a warning for each setting that could not be applied. */
export async function applySettings(session: Session, { model, thinking }: Wanted): Promise<string[]> {
  const warnings: string[] = [];
  let settings: readonly Setting[] = settingsIn(session.configOptions);
  for (const [category, word, wanted] of [
    ["model", "model", model],
    ["thought_level", "thinking level", thinking],
  ] as const) {
    if (wanted === null) continue;
    const applied = await apply(session, settings, category, wanted);
    if (typeof applied === "string")
      warnings.push(`The ${word} ${shown(wanted)} ${applied}; its own was used.`);
    else settings = applied;
  }
  return warnings;
}

async function apply(
  { agent, sessionId }: Session,
  settings: readonly Setting[],
  category: string,
  wanted: string,
): Promise<readonly Setting[] | string> {
  const found = settings.find((each) => each.category === category);
  if (found === undefined) return "was not set: the agent does not offer the choice";
  const value = valueOf(found, wanted);
  if (value === undefined) return "is not one the agent offers";
  if (value === found.currentValue) return settings;
  try {
    const set = await agent.request("session/set_config_option", { sessionId, configId: found.id, value });
    return settingsIn(set.configOptions);
  } catch (fault) {
    if (fault instanceof RequestError) return "was not taken by the agent";
    throw fault;
  }
}

function valueOf({ options }: Setting, wanted: string): string | undefined {
  const same = (text: string | undefined) => text?.toLowerCase() === wanted.toLowerCase();
  return (options.find(({ value }) => same(value)) ?? options.find(({ name }) => same(name)))?.value;
}

const settingsIn = (configOptions: unknown): Setting[] =>
  (Array.isArray(configOptions) ? configOptions : []).flatMap((each) => setting.safeParse(each).data ?? []);

const shown = (text: string): string => cutWithMark(oneLine(text), 100);
