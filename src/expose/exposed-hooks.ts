// The hooks that may be reached from outside: senders, and names that a mapping takes. Never `wake` or `agent`.
import type { Config } from "../config/config.ts";
import { UsageError } from "../core/errors.ts";
import type { Sender, Senders } from "../hooks/senders/prepare.ts";

export type ExposedHook = {
  readonly name: string;
  readonly methods: ReadonlySet<string>;
  /** Null: its callers send a token. */
  readonly sender: Sender | null;
};

const builtIn = ["wake", "agent"];

/** Without names: every sender. */
export function exposedHooks(
  names: readonly string[],
  { mappings }: Pick<Config["hooks"], "mappings">,
  senders: Senders,
): ExposedHook[] {
  const mapped = new Set(mappings.flatMap(({ match }) => match.path ?? []));
  const wanted = names.length > 0 ? names.map((name) => name.replace(/^\/+|\/+$/g, "")) : [...senders.keys()];
  if (wanted.length === 0)
    throw new UsageError(
      "There is no sender in hooks.senders. Name a mapped hook, or add a sender first: rouse expose NAME",
    );
  return [...new Set(wanted)].map((name) => {
    const sender = senders.get(name) ?? null;
    if (builtIn.includes(name))
      throw new UsageError(
        `${name} is never exposed: give outside callers a hook of their own in hooks.mappings.`,
      );
    if (sender === null && !mapped.has(name))
      throw new UsageError(unknownHook(name, [...senders.keys(), ...mapped]));
    return { name, methods: methodsOf(sender), sender };
  });
}

function unknownHook(name: string, known: readonly string[]): string {
  const names = [...new Set(known)].join(", ");
  return `There is no sender or mapped hook ${name}. ${names === "" ? "None is configured." : `Those there are: ${names}`}`;
}

/** POST, or what its kind says, and what it asks before it sends. */
function methodsOf(sender: Sender | null): ReadonlySet<string> {
  if (sender === null) return new Set(["POST"]);
  const { methods = ["POST"], handshakes = [] } = sender.kind;
  return new Set([...methods, ...handshakes.flatMap((each) => (each.proven ? [] : each.method))]);
}
