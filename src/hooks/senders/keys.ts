// How the text of a secret becomes key bytes.
import { createPublicKey, type KeyObject } from "node:crypto";
import type { Encoding, KeyForm, Proof } from "./kind.ts";

/** Null: the text is not of this form. */
export function keyBytes(secret: string, form: KeyForm): Buffer | null {
  if (form === "text") return Buffer.from(secret, "utf8");
  if (form === "whsec") return read(secret.replace(/^whsec_/, ""), "base64");
  return read(secret, form);
}

const shapes: Readonly<Record<Encoding, RegExp>> = {
  hex: /^(?:[0-9a-fA-F]{2})+$/,
  base64: /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  base64url: /^[A-Za-z0-9_-]+={0,2}$/,
};

/** Null: it is no such text. Node itself skips what does not belong there. */
const read = (text: string, encoding: Encoding): Buffer | null =>
  text !== "" && shapes[encoding].test(text) ? Buffer.from(text, encoding) : null;

/** Of a signature. Null also for base64 with another last letter than it is written with: Node reads both alike. */
export function decode(text: string, encoding: Encoding): Buffer | null {
  const bytes = read(text, encoding);
  const isExact = encoding === "hex" || bytes?.toString(encoding) === text.replace(padding(encoding), "");
  return isExact ? bytes : null;
}

/** Of base64url, Node writes none. */
const padding = (encoding: Encoding): RegExp => (encoding === "base64url" ? /(?<!=)=+$/ : /(?!)/);

type Algorithm = Extract<Proof, { kind: "public-key" }>["algorithm"];

/** Reads a PEM, base64 of a DER (SPKI), or for Ed25519 the 32 bytes in hex or base64. Null: it is none of these. */
export function publicKeyOf(written: string, algorithm: Algorithm): KeyObject | null {
  const text = written.trim().replace(/^whpk_/, "");
  for (const read of [pem, der, ...(algorithm === "ed25519" ? [rawEd25519] : [])]) {
    const key = attempt(() => read(text));
    if (key !== null && isOf(key, algorithm)) return key;
  }
  return null;
}

const pem = (text: string): KeyObject | null =>
  text.startsWith("-----BEGIN") ? createPublicKey(text) : null;

function der(text: string): KeyObject | null {
  const bytes = read(text.replace(/\s+/g, ""), "base64");
  return bytes && createPublicKey({ key: bytes, format: "der", type: "spki" });
}

const ed25519Prefix = Buffer.from("302a300506032b6570032100", "hex");

function rawEd25519(text: string): KeyObject | null {
  const bytes = read(text, "hex") ?? read(text, "base64");
  if (bytes?.length !== 32) return null;
  return createPublicKey({ key: Buffer.concat([ed25519Prefix, bytes]), format: "der", type: "spki" });
}

function isOf({ asymmetricKeyType }: KeyObject, algorithm: Algorithm): boolean {
  if (algorithm === "ed25519") return asymmetricKeyType === "ed25519";
  return asymmetricKeyType === (algorithm === "ecdsa-sha256" ? "ec" : "rsa");
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
