// Reads the files that Google Cloud gives out: an OAuth client for desktop apps, or a service account's key.
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { faultKind, UsageError } from "../core/errors.ts";
import { type Fields, isFields } from "../mail/gmail/request.ts";
import type { ServiceAccountKey } from "./credentials.ts";

export type DesktopClient = { clientId: string; clientSecret: string; projectId: string | null };

const getOne =
  "Google Cloud console → Google Auth Platform → Clients → Create client → Desktop app → Download JSON";

export function readClientFile(file: string): DesktopClient {
  const whole = readJson(file);
  if (whole["type"] === "service_account")
    throw new UsageError(`${file} is the key of a service account: give it with --service-account FILE`);
  if (isFields(whole["web"]))
    throw new UsageError(
      `${file} is a client of the type "Web application", which cannot log in from a terminal. Make one of the type "Desktop app": ${getOne}`,
    );
  const client = whole["installed"];
  if (!isFields(client)) throw new UsageError(`${file} is not an OAuth client's file. Get one: ${getOne}`);
  const clientId = textIn(client, "client_id");
  const clientSecret = textIn(client, "client_secret");
  if (clientId === null || clientSecret === null)
    throw new UsageError(`${file} has no client_id or no client_secret in it. Get it again: ${getOne}`);
  return { clientId, clientSecret, projectId: textIn(client, "project_id") };
}

export function readServiceAccount(file: string): ServiceAccountKey {
  const whole = readJson(file);
  if (isFields(whole["installed"]) || isFields(whole["web"]))
    throw new UsageError(`${file} is an OAuth client: give it with --client FILE`);
  const clientEmail = textIn(whole, "client_email");
  const privateKey = textIn(whole, "private_key");
  if (whole["type"] !== "service_account" || clientEmail === null || privateKey === null)
    throw new UsageError(
      `${file} is not the key of a service account. Get one: Google Cloud console → IAM & Admin → Service Accounts → Keys → Add key → JSON`,
    );
  if (!isPrivateKey(privateKey))
    throw new UsageError(`${file} has a private_key in it that cannot be read. Make a new key.`);
  const [keyId, projectId] = [textIn(whole, "private_key_id"), textIn(whole, "project_id")];
  return {
    type: "service_account",
    client_email: clientEmail,
    private_key: privateKey,
    ...(keyId !== null && { private_key_id: keyId }),
    ...(projectId !== null && { project_id: projectId }),
  };
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

/** The content is secret, so no fault shows it. */
function readJson(file: string): Fields {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (fault) {
    throw new UsageError(`${file} cannot be read (${faultKind(fault)}).`);
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isFields(value)) return value;
  } catch {
    throw new UsageError(`${file} is not JSON. It is the file that Google Cloud let you download, as it is.`);
  }
  throw new UsageError(`${file} is not a file from Google Cloud: it should be one JSON object.`);
}

function textIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === "string" && value.trim() !== "" ? value : null;
}
