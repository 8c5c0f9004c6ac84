// The log: one JSON line per entry on standard error, or lines for people on a terminal. Only the fields of the port
// are logged, as short text without control characters, so that outside text cannot forge a line.
import { createRequire } from "node:module";
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from "pino";
import type { Log, LogFields } from "../core/log.ts";
import { cutWithMark, oneLine } from "../core/text.ts";

export type LogOptions = {
  level: "debug" | "info" | "warn" | "error" | "silent";
  format: "auto" | "json" | "pretty";
};

export type LevelledLog = Log & { setLevel(level: LogOptions["level"]): void };

export function createLog({ level, format }: LogOptions, stream?: DestinationStream): LevelledLog {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      messageKey: "message",
      formatters: { level: (label) => ({ level: label }) },
    },
    outputFor(format, stream),
  );
  return {
    debug: (message, fields) => write(logger, "debug", message, fields),
    info: (message, fields) => write(logger, "info", message, fields),
    warn: (message, fields) => write(logger, "warn", message, fields),
    error: (message, fields) => write(logger, "error", message, fields),
    setLevel(next) {
      logger.level = next;
    },
  };
}

const standardError = 2;

function outputFor(format: LogOptions["format"], stream: DestinationStream | undefined): DestinationStream {
  const isTerminal = stream === undefined && process.stderr.isTTY;
  if (format === "pretty" || (format === "auto" && isTerminal)) {
    // Loaded only here: a gateway that logs JSON does not pay for it.
    const pretty = createRequire(import.meta.url)("pino-pretty") as typeof import("pino-pretty");
    return pretty({
      destination: stream === undefined ? standardError : stream,
      colorize: isTerminal,
      messageKey: "message",
      translateTime: "SYS:HH:MM:ss",
    });
  }
  return stream ?? destination({ dest: standardError, sync: false });
}

/** Every field of the port; the type makes it complete. */
const allowed: Record<keyof LogFields, true> = {
  hook: true,
  field: true,
  status: true,
  outcome: true,
  code: true,
  durationMs: true,
  count: true,
  address: true,
  runId: true,
  deliveryId: true,
  channel: true,
  account: true,
  attempt: true,
  kind: true,
  setting: true,
  reason: true,
};

const longestText = 300;

function write(
  logger: Logger,
  level: "debug" | "info" | "warn" | "error",
  message: string,
  fields: LogFields | undefined,
): void {
  if (!logger.isLevelEnabled(level)) return;
  const copy: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (!Object.hasOwn(allowed, name)) continue;
    if (typeof value === "string") copy[name] = clean(value);
    else if (typeof value === "number" && Number.isFinite(value)) copy[name] = value;
  }
  logger[level](copy, clean(message));
}

const clean = (text: string): string =>
  cutWithMark(oneLine(text.slice(0, 4 * longestText)).replace(/\p{Cf}/gu, ""), longestText);
