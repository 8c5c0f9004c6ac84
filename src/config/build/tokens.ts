// The tokens of a config, with their paths.
import type { Path } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

/** The hook tokens with their paths, without blank ones. */
export function hookTokens({ hooks }: Settings): { value: string; path: Path }[] {
  const written = hooks.token ?? [];
  const path = ["hooks", "token"];
  const all = Array.isArray(written)
    ? written.map((value, at) => ({ value, path: [...path, at] }))
    : [{ value: written, path }];
  return all.filter(({ value }) => value.trim() !== "");
}

export const gatewayToken = ({ gateway }: Settings): string | null => gateway.auth.token?.trim() || null;
