// The tokens of a config, with their paths.
import type { Path } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

export type WrittenToken = { value: string; path: Path };

const listed = (written: string | readonly string[], path: Path): WrittenToken[] =>
  typeof written === "string"
    ? [{ value: written, path }]
    : written.map((value, at) => ({ value, path: [...path, at] }));

/** The hook tokens with their paths, without blank ones. */
export const hookTokens = ({ hooks }: Settings): WrittenToken[] =>
  listed(hooks.token ?? [], ["hooks", "token"]).filter(({ value }) => value.trim() !== "");

export const namedTokens = ({ hooks }: Settings): WrittenToken[] =>
  Object.entries(hooks.tokens).flatMap(([name, { token }]) =>
    listed(token, ["hooks", "tokens", name, "token"]),
  );

/** `kind`: of their sender. */
export const senderSecrets = ({ hooks }: Settings): (WrittenToken & { kind: string })[] =>
  Object.entries(hooks.senders).flatMap(([name, { kind, secret = [] }]) =>
    listed(secret.length === 1 ? secret[0]! : secret, ["hooks", "senders", name, "secret"]).map((each) => ({
      ...each,
      kind,
    })),
  );

export const gatewayToken = ({ gateway }: Settings): string | null => gateway.auth.token?.trim() || null;
