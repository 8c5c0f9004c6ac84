// `rouse senders pair`: for ten minutes, the first key that arrives by request is taken as the sender's.
import { createHash } from "node:crypto";
import type { Config } from "../../config/config.ts";
import { UsageError } from "../../core/errors.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import type { Context } from "../command.ts";
import { storeFault } from "../open/store.ts";
import { loadSettings } from "../open/settings.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { pairFlags } from "./options.ts";
import { noteLine, printJson, printLine } from "../terminal/output.ts";
import { createProgress } from "../terminal/progress.ts";
import { type OpenRecords, openRecords, type SenderRecords } from "./records.ts";
import { senderNamed } from "./remove.ts";

const windowMs = 600_000;
const pollMs = 1_000;

export async function runPair(context: Context, open: OpenRecords = openRecords): Promise<number> {
  const { values, positionals } = readArguments(context, pairFlags);
  refuseMore(positionals, 1);
  const { config } = await loadSettings(context, values.config);
  const { name, kind } = pairable(config, positionals[0]);
  context.audit({ verb: "sender.pair", subject: name, store: config.store });
  try {
    const records = await open(config.store, context.clock);
    try {
      const key = await pair(context, records, { name, kind, isReplaced: values.replace === true });
      show(context, { name, kind, key, json: values.json === true });
    } finally {
      await records.close();
    }
  } catch (fault) {
    throw storeFault(fault, config);
  }
  return 0;
}

type Pairing = { name: string; kind: SenderKind; isReplaced: boolean };

function pairable({ hooks, file }: Config, written: string | undefined): { name: string; kind: SenderKind } {
  const name = senderNamed(
    written,
    hooks.senders.map((sender) => sender.name),
    file,
  );
  const sender = hooks.senders.find((each) => each.name === name)!;
  const kind = senderKinds.get(sender.kind);
  if (kind === undefined || kind.secret.from !== "pairing")
    throw new UsageError(
      `The key of ${name} does not arrive by request: ${kind === undefined ? "it is in the config" : `it is ${kind.secret.where}`}.`,
    );
  if (sender.secrets.length > 0)
    throw new UsageError(
      `${name} has its key in the config. Remove hooks.senders.${name}.secret to pair it.`,
    );
  return { name, kind };
}

/** Resolves to the key. A window that ends without one, or by a signal, is closed. */
async function pair(
  context: Context,
  records: SenderRecords,
  { name, kind, isReplaced }: Pairing,
): Promise<string> {
  const { clock } = context;
  if (isReplaced) await records.forgetKey(name);
  if (!(await records.openPairing({ name, forMs: windowMs })))
    throw new UsageError(
      `${name} has a key already. To take another in its place, with the old one refused from now on: rouse senders pair ${name} --replace`,
    );
  let isStopped = false;
  context.onStopSignal(() => (isStopped = true));
  noteLine(
    context,
    `For ten minutes, the first key that ${kind.label} sends to the hook ${name} is taken. The gateway must run. Go on there.`,
  );
  const progress = createProgress(context);
  const endAt = clock.monotonic() + windowMs;
  try {
    while (!isStopped && clock.monotonic() < endAt) {
      const key = (await records.senderKeys()).get(name);
      if (key !== undefined) return key;
      progress.show("waiting for the key");
      await new Promise<void>((resolve) => void clock.after(pollMs, resolve));
    }
  } finally {
    progress.clear();
  }
  const late = (await records.senderKeys()).get(name);
  if (late !== undefined) return late;
  await records.forgetKey(name);
  throw new UsageError(
    isStopped
      ? "Stopped: no key is taken any more."
      : `No key arrived within ten minutes, and none is taken any more. Does the sender reach the gateway? rouse senders`,
  );
}

/** Enough to compare by eye, and of no use for signing. */
export const fingerprintOf = (key: string): string =>
  createHash("sha256")
    .update(key, "utf8")
    .digest("hex")
    .slice(0, 16)
    .replace(/(....)(?=.)/g, "$1 ");

type Shown = { name: string; kind: SenderKind; key: string; json: boolean };

function show(context: Context, { name, kind, key, json }: Shown): void {
  const isPastedBack = kind.secret.pastedBack === true;
  const fingerprint = fingerprintOf(key);
  if (json) return printJson(context, { name, fingerprint, key: isPastedBack ? key : null });
  printLine(context, `The key of ${name} is taken. Its fingerprint: ${fingerprint}`);
  if (isPastedBack) printLine(context, `Enter it at ${kind.label}: ${key}`);
}
