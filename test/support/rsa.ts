// RSA keys for tests. Making one takes a tenth of a second, so each is made once in a process.
import { generateKeyPairSync, type KeyObject } from "node:crypto";

const keys = new Map<string, { privateKey: KeyObject; publicKey: KeyObject }>();

/** The same name gives the same key. */
export function rsaKey(name: string): { privateKey: KeyObject; publicKey: KeyObject } {
  const key = keys.get(name) ?? generateKeyPairSync("rsa", { modulusLength: 2048 });
  keys.set(name, key);
  return key;
}
