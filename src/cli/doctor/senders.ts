// Checks the senders: why is nothing arriving? Only what is wrong now is a warning: no success yet, or failures since.
import type { Config, SenderConfig } from "../../config/config.ts";
import type { CallCount, CallResult, SenderRecord } from "../../core/sender.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import { addressFor } from "../senders/instructions.ts";
import { keyOf } from "../senders/list.ts";
import { skewWords, summaryOf, timeWords } from "../senders/statistics.ts";
import { type Finding, notChecked, ok, warn } from "./finding.ts";

type Settings = Pick<Config, "gateway" | "hooks">;

const mostSkewMs = 10_000;

/** `records`: null where the store could not be read. */
export function checkSenders(config: Settings, records: readonly SenderRecord[] | null): Finding[] {
  const { enabled, senders } = config.hooks;
  if (!enabled || senders.length === 0) return [];
  if (records === null) return [notChecked("senders", "there is no store that could be read")];
  return senders.flatMap((sender) => {
    const record = records.find(({ name }) => name === sender.name);
    const calls = record?.calls ?? [];
    return [checkCalls(config, sender, record), ...checkSkew(sender, calls)];
  });
}

function checkCalls(config: Settings, sender: SenderConfig, record: SenderRecord | undefined): Finding {
  const check = `sender ${sender.name}`;
  const kind = senderKinds.get(sender.kind);
  const label = kind?.label ?? sender.kind;
  const key = keyOf(sender, record);
  if (key === "missing")
    return warn(check, `has no key yet: ${label} sends it once`, `rouse senders pair ${sender.name}`);
  if (key === "awaited") return ok(check, `waits for the key that ${label} sends`);
  const { lastCallAt, lastSuccessAt } = summaryOf(record) ?? { lastCallAt: null, lastSuccessAt: null };
  if (lastCallAt === null) return warn(check, "has never called", addressFix(config, sender, label));
  const failing = (record?.calls ?? [])
    .filter(({ result, lastAt }) => result !== "proven" && lastAt > (lastSuccessAt ?? 0))
    .toSorted((a, b) => b.lastAt - a.lastAt);
  const success =
    lastSuccessAt === null ? "no call was ever proven" : `last proven at ${timeWords(lastSuccessAt)}`;
  const [newest] = failing;
  if (newest === undefined) return ok(check, success);
  return warn(
    check,
    `${success}; failing since: ${failing.map(failureOf).join(", ")}`,
    fixOf(newest, sender, kind),
  );
}

function addressFix(config: Settings, { name, publicUrl }: SenderConfig, label: string): string {
  const { url, isPlaceholder } = addressFor(config, name, publicUrl);
  const host = isPlaceholder ? `; without a public address: rouse expose ${name}` : "";
  return `At ${label}, the address must be ${url}${host}`;
}

/** The count is of all such calls: the store has no other. */
function failureOf({ result, calls, lastAt, skewMs }: CallCount): string {
  const isTime = result === "too-old" || result === "too-new";
  const clock = isTime && skewMs !== null ? `, its clock ${skewWords(skewMs)}` : "";
  return `${result} (${calls} in all, the last at ${timeWords(lastAt)}${clock})`;
}

type Failure = Exclude<CallResult, "proven">;

/** What to do about each class; `docs/senders.md` says the same under "When nothing arrives". */
const fixes: Readonly<Record<Failure, (sender: SenderConfig, label: string) => string>> = {
  "wrong-secret": (_, label) =>
    `Compare the secret with the one at ${label}: it was copied in part, is of another endpoint, or was rotated there.`,
  "body-changed": () =>
    "Something on the way (a proxy, a relay, a debugger) changed the bytes: let it pass them as they are.",
  "too-old": () => clockFix,
  "too-new": () => clockFix,
  "header-missing": (_, label) =>
    `No signature came: set the secret at ${label}, or find out which other program calls this address.`,
  malformed: (_, label) =>
    `A header stands twice, or is not as ${label} writes it: look at what is between it and the gateway.`,
  "not-paired": ({ name }) =>
    `A key arrived by request while nobody waited for one: rouse senders pair ${name}`,
  "body-timeout": () => "Its body did not arrive in time: look at the network and the proxy on the way.",
  "body-too-large": ({ name, maxBodyBytes }) =>
    `A body was over ${maxBodyBytes} bytes: raise hooks.senders.${name}.maxBodyBytes, or send less.`,
};

const clockFix = "Set this machine's clock (and the sender's, where it is yours), or raise toleranceSeconds.";

function fixOf({ result }: CallCount, sender: SenderConfig, kind: SenderKind | undefined): string {
  if (result === "proven") return "";
  const fix = fixes[result](sender, kind?.label ?? sender.kind);
  const isAddressSigned = kind?.needs?.publicUrl !== undefined && sender.publicUrl !== null;
  return result === "wrong-secret" && isAddressSigned
    ? `${fix} It signs the address, too: publicUrl must be as it is entered there, now ${sender.publicUrl}`
    : fix;
}

/** By the last proven call: what is not proven may name any time. */
function checkSkew({ name }: SenderConfig, calls: readonly CallCount[]): Finding[] {
  const skewMs = calls.find(({ result }) => result === "proven")?.skewMs ?? null;
  if (skewMs === null || Math.abs(skewMs) <= mostSkewMs) return [];
  const late = skewMs < 0 ? " Or its calls are that long on the way." : "";
  return [
    warn(
      `sender ${name} clock`,
      `its clock is not ours: ${skewWords(skewMs)}`,
      `Compare this machine's clock with the right time.${late}`,
    ),
  ];
}
