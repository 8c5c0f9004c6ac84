// The presets by their names in the config.
import type { CommandPreset } from "../../../config/config.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import type { Preset } from "./preset.ts";

export const presets: Readonly<Record<CommandPreset, Preset>> = { claude, codex, gemini };
