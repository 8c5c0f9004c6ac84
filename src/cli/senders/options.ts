// The options of the verbs of `rouse senders`. Light to load: the verbs themselves are loaded when they are used.
import { configFlag, jsonFlag } from "../terminal/arguments.ts";

export const listFlags = { ...configFlag, ...jsonFlag } as const;

export const pairFlags = { ...listFlags, replace: { type: "boolean" } } as const;

export const removeFlags = {
  ...listFlags,
  "keep-mappings": { type: "boolean" },
  yes: { type: "boolean" },
} as const;

const text = { type: "string" } as const;
const texts = { type: "string", multiple: true } as const;
const file = { type: "string", file: true } as const;

export const addFlags = {
  ...listFlags,
  secret: text,
  "secret-file": file,
  "public-key": text,
  "public-key-file": file,
  "public-url": text,
  "verify-token": text,
  origin: texts,
  "topic-arn": texts,
  audience: text,
  "service-account": text,
  "webhook-id": text,
  header: text,
  custom: file,
  mapping: texts,
} as const;
