// `rouse requests compare FILE`: which kept requests another config would decide otherwise. Nothing is stored.
import type { ComparedDecision, Compared, Difference } from "../../hooks/replay/compare.ts";
import { compareRequests, comparedFields } from "../../hooks/replay/compare.ts";
import { type Context, WrongUsage } from "../command.ts";
import { withHooks } from "../open/hooks.ts";
import { loadSettings } from "../open/settings.ts";
import { withStore } from "../open/store.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { pathFrom } from "../terminal/folder.ts";
import { printJson, printLine } from "../terminal/output.ts";
import { createProgress } from "../terminal/progress.ts";
import { readSelection, selectFlags, selectionOf } from "./select.ts";

export const compareFlags = {
  ...configFlag,
  ...jsonFlag,
  ...selectFlags,
  transforms: { type: "boolean" },
} as const;

export async function compareConfigs(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, compareFlags);
  const [written] = positionals;
  if (written === undefined || written === "-")
    throw new WrongUsage("With which config? requests compare FILE --since 7d");
  refuseMore(positionals, 1);
  const asked = readSelection(values, "requests compare");
  const presentConfig = await loadSettings(context, values.config);
  const candidateConfig = await loadSettings(context, pathFrom(context.folder, written));
  const found: Difference[] = [];
  const progress = createProgress(context);
  const onDifference = (difference: Difference): void => {
    found.push(difference);
    progress.show(`${found.length} would be decided otherwise`);
  };
  const compared = await withStore(context, values.config, async (store) => {
    const selection = await selectionOf(store, asked);
    const transforms = values.transforms === true;
    return withHooks(presentConfig, (present) =>
      withHooks(candidateConfig, (candidate) => {
        const deps = { store, present, candidate, transforms };
        return compareRequests(selection, deps, onDifference);
      }),
    );
  }).finally(() => progress.clear());
  if (values.json) printJson(context, { ...compared, differences: found.map(differenceResource) });
  else
    for (const line of [...found.flatMap(differenceLines), ...endLines(compared)]) printLine(context, line);
  return 0;
}

export const differenceResource = ({ request, fields, present, candidate }: Difference) => ({
  requestId: request.id,
  hook: request.hook,
  createdAt: new Date(request.createdAt).toISOString(),
  fields,
  present,
  candidate,
});

function differenceLines({ request, fields, present, candidate }: Difference): string[] {
  const at = `${new Date(request.createdAt).toISOString().slice(0, 19)}Z`;
  return [
    `${request.id}  ${at}  ${request.hook}`,
    ...fields.map((field) => `  ${field}: ${wordsOf(present, field)} → ${wordsOf(candidate, field)}`),
  ];
}

const mostListed = 5;

function wordsOf(decision: ComparedDecision, field: (typeof comparedFields)[number]): string {
  const value = decision[field];
  if (field === "outcome" && decision.reason !== null) return `${decision.outcome} (${decision.reason})`;
  if (value === null) return "none";
  if (typeof value === "string") return value;
  if (value.length === 0) return "none";
  const listed = value.slice(0, mostListed).join(", ");
  return value.length > mostListed ? `${listed} and ${value.length - mostListed} more` : listed;
}

function endLines({ compared, mappingOnly, different, cannot }: Compared): string[] {
  return [
    `${different} of ${compared} requests would be decided otherwise.`,
    ...(mappingOnly > 0
      ? [
          `Of ${mappingOnly} only the mapping was compared: it has a transform, which may act. Run them with --transforms.`,
        ]
      : []),
    ...Object.entries(cannot).map(([reason, count]) => `${count} could not be compared: ${reason}`),
  ];
}
