// The credentials file: only its owner can read it, and its form is that of Google's own tools.
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readRegularFileSync } from "../config/read/regular-file.ts";
import { writeFileAtomic } from "../config/write/write.ts";
import { faultKind, UsageError } from "../core/errors.ts";
import { isFields } from "../mail/gmail/request.ts";

export type LoginCredentials = {
  type: "authorized_user";
  client_id: string;
  client_secret: string;
  refresh_token: string;
  /** The client's project, where topics must be. */
  project_id?: string;
};

export type ServiceAccountKey = {
  type: "service_account";
  client_email: string;
  private_key: string;
  private_key_id?: string;
  project_id?: string;
};

export type Credentials = LoginCredentials | ServiceAccountKey;

/** Relative to the config. */
export const credentialsFileFor = (account: string): string => join("credentials", `gmail-${account}.json`);

/** Null when the file is missing or holds no complete credentials. */
export function readCredentials(file: string): Credentials | null {
  if (!existsSync(file)) return null;
  try {
    const value: unknown = JSON.parse(readRegularFileSync(file).toString("utf8"));
    return isFields(value) && isComplete(value) ? (value as Credentials) : null;
  } catch (fault) {
    if (fault instanceof SyntaxError) return null;
    throw new UsageError(`${file} cannot be read (${faultKind(fault)}).`);
  }
}

const needed: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["authorized_user", ["client_id", "client_secret", "refresh_token"]],
  ["service_account", ["client_email", "private_key"]],
]);

const isComplete = (value: Readonly<Record<string, unknown>>): boolean =>
  needed.get(value["type"])?.every((name) => typeof value[name] === "string" && value[name] !== "") ?? false;

/** False when the file is the same already. */
export function writeCredentials(file: string, credentials: Credentials): boolean {
  if (isDeepStrictEqual(readCredentials(file), credentials)) {
    const isOpen = (statSync(file).mode & 0o077) !== 0;
    if (isOpen) chmodSync(file, 0o600);
    return isOpen;
  }
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileAtomic(file, `${JSON.stringify(credentials, null, 2)}\n`, 0o600);
  giveToOwnerOf(dirname(folder), basename(folder) === "credentials" ? [folder, file] : [file]);
  return true;
}

/** When root runs the setup for a service of another user, that user must be able to read the file. */
function giveToOwnerOf(home: string, paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(home);
  for (const path of paths) chownSync(path, uid, gid);
}
