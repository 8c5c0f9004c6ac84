// The options of the verbs of `rouse gmail`. Light to load: the verbs themselves are loaded when they are used.
import { gmailModes } from "../../config/schema/gmail.ts";
import { configFlag, jsonFlag } from "../terminal/arguments.ts";

export const statusFlags = { ...configFlag, ...jsonFlag } as const;

export const testFlags = {
  ...configFlag,
  ...jsonFlag,
  wait: { type: "boolean" },
  url: { type: "string" },
} as const;

export const stopFlags = {
  ...configFlag,
  ...jsonFlag,
  delete: { type: "boolean" },
  remove: { type: "boolean" },
} as const;

export const setupFlags = {
  ...configFlag,
  ...jsonFlag,
  account: { type: "string" },
  mode: { type: "string", values: gmailModes },
  client: { type: "string", file: true },
  "service-account": { type: "string", file: true },
  label: { type: "string" },
  project: { type: "string" },
  topic: { type: "string" },
  subscription: { type: "string" },
  "push-endpoint": { type: "string" },
  "oidc-service-account": { type: "string" },
  audience: { type: "string" },
  provisioned: { type: "boolean" },
  "new-login": { type: "boolean" },
  "no-browser": { type: "boolean" },
  "dry-run": { type: "boolean" },
  "print-gcloud": { type: "boolean" },
  yes: { type: "boolean" },
} as const;
