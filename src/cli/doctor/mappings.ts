// Checks the mappings: do their templates compile, do their transforms load, and which lift the safety boundary?
import type { MappingConfig } from "../../config/config.ts";
import { formatProblem } from "../../config/problem.ts";
import { preparedMappings } from "../open/mappings.ts";
import type { Loaded } from "../open/settings.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

export async function checkMappings(loaded: Loaded): Promise<Finding[]> {
  const { mappings } = loaded.config.hooks;
  const { problems } = await preparedMappings(loaded);
  const finding =
    problems.length === 0
      ? ok("mappings", summaryOf(mappings))
      : fail(
          "mappings",
          `cannot be used: ${problems.map(formatProblem).join("; ")}`,
          "Fix these settings, then run: rouse check",
        );
  const { unsafeWarning } = await import("../../config/rules/mapping.ts");
  const unsafe = mappings.filter((each) => each.allowUnsafeExternalContent);
  return [finding, ...unsafe.map((mapping) => unsafeFinding(mapping, unsafeWarning(mapping)))];
}

function summaryOf(mappings: readonly MappingConfig[]): string {
  const presets = mappings.filter(({ origin }) => typeof origin === "string").map(({ id }) => id);
  const own = mappings.length - presets.length;
  const transforms = mappings.filter(({ transform }) => transform !== null).length;
  const on =
    presets.length === 0 ? "no preset" : `${counted(presets.length, "preset")} (${presets.join(", ")})`;
  if (mappings.length === 0) return "none, and no preset: only wake and agent are served";
  const checked = `templates compile${transforms === 0 ? "" : `, ${counted(transforms, "transform")} can be loaded`}`;
  return `${counted(own, "mapping")} and ${on} on; ${checked}`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

const unsafeFinding = ({ id }: MappingConfig, message: string): Finding =>
  warn(
    `mapping ${id}`,
    `allowUnsafeExternalContent ${message}`,
    "Remove allowUnsafeExternalContent, unless you trust everyone who can send to it.",
  );
