// A sender of the kind `custom`: the row comes from the configuration.
import type { CustomSenderConfig, PlaceConfig } from "../../config/config.ts";
import type { Part, Proof, Scheme, SenderKind } from "./kind.ts";
import type { Place } from "./place.ts";

export const customKind = (settings: CustomSenderConfig): SenderKind => ({
  ...customDescription,
  schemes: [schemeOf(settings)],
  ...(settings.event && { event: { at: [placeOf(settings.event)], signed: false } }),
  replay: settings.equalBodies ? "none" : "body",
});

/** The row of `custom` in the table, without what only a configuration says. */
export const customDescription: SenderKind = {
  id: "custom",
  label: "A sender of your own",
  secret: { from: "us", where: "the sender's own settings" },
  takes: ["publicKey", "publicUrl"],
  schemes: [],
  replay: "body",
  body: { types: ["json", "form", "multipart", "xml"] },
  describe: {
    checks: "What `custom` says: where the signature stands, what is signed, and how.",
    retries: "As the sender decides.",
    setUp: [
      "Write `custom` as the sender's documentation says.",
      "Give the sender the address ADDRESS and the secret.",
    ],
    docs: "senders.md#a-sender-of-your-own",
  },
};

const defaultToleranceSeconds = 300;

const schemeOf = (settings: CustomSenderConfig): Scheme => ({
  proof: proofOf(settings),
  ...(settings.time && {
    time: {
      at: placeOf(settings.time.at),
      unit: settings.time.unit,
      toleranceSeconds: defaultToleranceSeconds,
    },
  }),
  ...(settings.delivery && { delivery: { at: [placeOf(settings.delivery)], signed: isSigned(settings) } }),
});

/** Whether the delivery's id is covered: it stands in the body, or is a part of what is signed. */
function isSigned({ proof, delivery, signed }: CustomSenderConfig): boolean {
  if (proof === "equal" || delivery === undefined) return false;
  return "header" in delivery || "query" in delivery ? signed.includes("{id}") : signed.includes("{body}");
}

function proofOf(settings: CustomSenderConfig): Proof {
  const { encoding, algorithm, key } = settings;
  const at = [placeOf(settings.signature)];
  if (settings.proof === "equal") return { kind: "equal", at };
  const message = partsOf(settings);
  if (algorithm === "sha1" || algorithm === "sha256" || algorithm === "sha512")
    return { kind: "hmac", hash: algorithm, encoding, key, at, message };
  return { kind: "public-key", algorithm, encoding, at, message };
}

const part = /\{(body|time|id|method|url|header:[^{}]+|query:[^{}]+)\}/g;

/** What `signed` says. Words in braces that are no part are refused by `customFault`. */
function partsOf({ signed, delivery }: CustomSenderConfig): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const found of signed.matchAll(part)) {
    if (found.index > at) parts.push({ text: signed.slice(at, found.index) });
    parts.push(partOf(found[1]!, delivery));
    at = found.index + found[0].length;
  }
  if (at < signed.length) parts.push({ text: signed.slice(at) });
  return parts;
}

function partOf(word: string, delivery: PlaceConfig | undefined): Part {
  if (word === "body" || word === "time" || word === "method" || word === "url") return word;
  if (word === "id") return { value: delivery === undefined ? { header: "" } : placeOf(delivery) };
  const name = word.slice(word.indexOf(":") + 1);
  return { value: word.startsWith("header:") ? { header: name.toLowerCase() } : { query: name } };
}

const neighbours = /\{([^{}]+)\}(?=\{([^{}]+)\})/g;

/** A time has a pinned form, a method is one of few words, and our address begins where it does. */
const hasBorder = (left: string, right: string): boolean =>
  left === "time" || right === "time" || left === "method" || right === "url";

/** What is wrong with the settings; null when they can work. */
export function customFault(settings: CustomSenderConfig): { setting: string; message: string } | null {
  const { proof, algorithm, signed, time, delivery } = settings;
  const isKeyed = algorithm === "sha1" || algorithm === "sha256" || algorithm === "sha512";
  if (proof !== "equal" && isKeyed !== (proof === "hmac"))
    return { setting: "algorithm", message: `does not go with "proof": "${proof}"` };
  if (proof === "equal") return null;
  const unknown = /\{[^{}]*\}/.exec(signed.replace(part, ""))?.[0];
  if (unknown !== undefined)
    return { setting: "signed", message: `has ${unknown}, which is no part of a request` };
  if (!signed.includes("{body}"))
    return {
      setting: "signed",
      message: "must have {body}: otherwise one signature opens the hook for any payload",
    };
  if (signed.includes("{time}") && time === undefined)
    return { setting: "signed", message: "has {time}: say where it stands with `time`" };
  if (signed.includes("{id}") && delivery === undefined)
    return { setting: "signed", message: "has {id}: say where it stands with `delivery`" };
  const open = [...signed.matchAll(neighbours)].find(([, left = "", right = ""]) => !hasBorder(left, right));
  if (open !== undefined)
    return {
      setting: "signed",
      message: `has {${open[1]}} and {${open[2]}} side by side: their border could be moved. Only {time} keeps it`,
    };
  return null;
}

const placeOf = (written: PlaceConfig): Place =>
  "header" in written
    ? {
        header: written.header,
        ...(written.prefix !== undefined && { prefix: written.prefix }),
        ...(written.list && { list: written.list }),
      }
    : written;
