// Built-in mappings, each as a user could have written it.
import type { presetNames } from "../schema/hooks.ts";
import type { MappingSettings } from "../schema/mapping.ts";
import { gmail } from "./gmail.ts";

export const presets: Readonly<Record<(typeof presetNames)[number], MappingSettings>> = { gmail };
