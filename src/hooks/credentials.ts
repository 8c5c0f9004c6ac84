// Which hooks a token opens: `hooks.token` every hook that is not a sender's, a named token only its own.
import type { Config } from "../config/config.ts";
import type { ResultAccess } from "../core/action.ts";
import { createGuard } from "../http/guard.ts";

export type Credential = {
  /** Null for `hooks.token`, which has no name. */
  readonly name: string | null;
  /** Where the results of its runs are sent, where nothing else says so. */
  readonly callback: string | null;
  /** What it may read of the runs that it starts; null: as `hooks.results`. */
  readonly results: ResultAccess | null;
  opens(hook: string): boolean;
};

export type Credentials = {
  check(rawHeaders: readonly string[]): Credential | "wrong" | "repeated";
  /** The one of this name, `hooks.token` for null; null: there is none. */
  find(name: string | null): Credential | null;
};

const hookToken: Credential = { name: null, results: null, callback: null, opens: () => true };

export function createCredentials({
  tokens,
  namedTokens,
}: Pick<Config["hooks"], "tokens" | "namedTokens">): Credentials {
  const known = [
    ...tokens.map((token) => ({ token, credential: hookToken })),
    ...namedTokens.flatMap((named) => {
      const { name, results, callback } = named;
      const credential = { name, results, callback, opens: hookOpener(named.hooks) };
      return named.tokens.map((token) => ({ token, credential }));
    }),
  ];
  const credentials = known.map(({ credential }) => credential);
  const guard = createGuard(known.map(({ token }) => token));
  return {
    check(rawHeaders) {
      const found = guard.find(rawHeaders);
      return typeof found === "number" ? credentials[found]! : found;
    },
    find: (name) => (name === null ? hookToken : (credentials.find((each) => each.name === name) ?? null)),
  };
}

/** `build/*` opens `build/deploy`, and not `build` itself. */
function hookOpener(hooks: readonly string[]): Credential["opens"] {
  const names = new Set(hooks.filter((each) => !each.endsWith("/*")));
  const prefixes = hooks.filter((each) => each.endsWith("/*")).map((each) => each.slice(0, -1));
  return (hook) => names.has(hook) || prefixes.some((prefix) => hook.startsWith(prefix) && hook !== prefix);
}
