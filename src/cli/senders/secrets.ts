// Secrets of senders: made where they are ours to choose, and kept in files that only their owner can read.
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, UsageError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../config/write/write.ts";
import type { KeyForm, SenderKind } from "../../hooks/senders/kind.ts";

/** Of the kind's shape. `form`: how the text becomes the key. */
export function makeSecret({ secret: { shape } }: SenderKind, form: KeyForm): string {
  const bytes = randomBytes(32);
  const text = bytes.toString("base64url");
  const base64 = bytes.toString("base64");
  const made: Readonly<Record<KeyForm, string>> = {
    text,
    base64,
    whsec: `whsec_${base64}`,
    hex: bytes.toString("hex"),
  };
  const all = [made[form], text, made.hex, `rouse:${text}`];
  return all.find((each) => shape?.pattern.test(each) ?? true) ?? made[form];
}

/** A sender with two schemes gets a secret for its first one, which covers more. */
export function keyFormOf({ schemes }: SenderKind): KeyForm {
  const proof = schemes[0]?.proof;
  return proof?.kind === "hmac" ? proof.key : "text";
}

const folderName = "secrets";

/** Relative to the config, as the config names it. */
export const secretName = (sender: string, what = ""): string =>
  `${folderName}/${sender.replace(/[^A-Za-z0-9._-]/g, "-")}${what}`;

/** Fails when the file exists: it may be the only copy of another secret. */
export function writeSecret(config: string, name: string, secret: string): void {
  const file = join(dirname(config), name);
  if (existsSync(file))
    throw new UsageError(
      `${file} exists already, so nothing was written. Remove it, or use the secret in it: --secret-file ${file}`,
    );
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileAtomic(file, `${secret}\n`, 0o600);
    giveToOwner([dirname(file), file], config);
  } catch (fault) {
    throw new UsageError(`${file} cannot be written (${codeOf(fault)}). Nothing was changed.`);
  }
}

/** When root runs this for a service of another user, the service must be able to read its secrets. */
function giveToOwner(paths: readonly string[], config: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(config);
  for (const each of paths) chownSync(each, uid, gid);
}

export const removeSecret = (config: string, name: string): void =>
  rmSync(join(dirname(config), name), { force: true });
