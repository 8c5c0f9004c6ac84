// Rules between the settings of `channels`.
import { channelNames } from "../../core/target.ts";
import { namedChannels, unknownChannels } from "../build/channel-names.ts";
import type { Finding } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

type Found = { problems: Finding[]; warnings: Finding[] };
type Imessage = NonNullable<Settings["channels"]["imessage"]>;

export function channelRules(settings: Settings): Found {
  const { imessage } = settings.channels;
  const problems = imessage === undefined ? [] : imessageProblems(imessage);
  return { problems: [...problems, ...nameProblems(settings)], warnings: [] };
}

/** The names of plugins are checked when they are loaded. */
const nameProblems = (settings: Settings): Finding[] =>
  settings.channels.plugins.length === 0 ? unknownChannels(namedChannels(settings), channelNames([])) : [];

/** iMessage takes either BlueBubbles, with address and password, or a program. */
function imessageProblems({ apiBase, password, method, command }: Imessage): Finding[] {
  const at = (setting: string, message: string) => ({ path: ["channels", "imessage", setting], message });
  if (command === undefined) {
    const missing: Finding[] = [];
    if (apiBase === undefined)
      missing.push(at("apiBase", "is missing: the address of a BlueBubbles server, or set command"));
    else if (!password?.trim()) missing.push(at("password", "is missing: BlueBubbles wants its password"));
    return missing;
  }
  if (command[0]?.trim() === "") return [at("command", "must begin with the program")];
  const both = Object.entries({ apiBase, password, method }).filter(([, value]) => value !== undefined);
  return both.map(([setting]) => at(setting, "is for BlueBubbles: leave it out, or leave out command"));
}
