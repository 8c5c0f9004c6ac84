// Keys that arrive by request (Notion, Asana): kept in the store and known to every node. Other kinds never read them.
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Pairing } from "./handshake.ts";
import type { Sender } from "./prepare.ts";
import { createVerifier, type Verifier } from "./verify.ts";

export type PairedKeys = {
  /** Null: the sender has no key yet. `maxAgeMs`: how old the known keys may be. */
  verifier(sender: Sender, maxAgeMs?: number): Verifier | null | Promise<Verifier | null>;
  pairing(sender: Sender): Pairing | null;
};

/** For so long a key that is forgotten at another node still counts here. */
const usualAgeMs = 5_000;
/** For so long a key that is taken at another node is not known here. */
const awaitedMs = 1_000;
const longestKey = 1024;

export type PairedKeysOptions = {
  store: Pick<Store, "senderKeys" | "takeKey">;
  clock: Pick<Clock, "monotonic">;
};

/** A configured secret leaves no question open. */
export const isPaired = ({ kind, settings }: Sender): boolean =>
  kind.secret.from === "pairing" && settings.secrets.length === 0;

export function createPairedKeys({ store, clock }: PairedKeysOptions): PairedKeys {
  let keys: ReadonlyMap<string, string> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;
  const verifiers = new WeakMap<Sender, { key: string; verifier: Verifier }>();

  const read = (): Promise<void> =>
    (reading ??= (async () => {
      const at = clock.monotonic();
      keys = await store.senderKeys();
      readAt = at;
    })().finally(() => void (reading = null)));

  function known(sender: Sender): Verifier | null {
    const key = keys.get(sender.name);
    if (key === undefined) return null;
    const before = verifiers.get(sender);
    if (before?.key === key) return before.verifier;
    const verifier = createVerifier(sender.kind, { ...sender.settings, secrets: [key] });
    verifiers.set(sender, { key, verifier });
    return verifier;
  }

  return {
    verifier(sender, maxAgeMs = usualAgeMs) {
      if (!isPaired(sender)) return sender.verifier;
      const mostMs = keys.has(sender.name) ? maxAgeMs : Math.min(maxAgeMs, awaitedMs);
      return clock.monotonic() - readAt < mostMs ? known(sender) : read().then(() => known(sender));
    },
    pairing(sender) {
      if (!isPaired(sender)) return null;
      return {
        async take(secret) {
          const { shape } = sender.kind.secret;
          if (secret === "" || secret.length > longestKey || shape?.pattern.test(secret) === false)
            return false;
          const isTaken = await store.takeKey({ name: sender.name, secret });
          readAt = -Infinity;
          await read();
          // The sender asks again when our answer did not arrive.
          return isTaken || isSame(keys.get(sender.name), secret);
        },
      };
    },
  };
}

function isSame(one: string | undefined, other: string): boolean {
  if (one === undefined) return false;
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
