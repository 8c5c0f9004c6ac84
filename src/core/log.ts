// The log port. Fields are an allow-list: what is not named here cannot be logged, payloads and tokens least of all.

export type LogFields = {
  hook?: string;
  /** Of a payload: its name, never its value. */
  field?: string;
  status?: number;
  outcome?: string;
  code?: string;
  durationMs?: number;
  count?: number;
  address?: string;
  runId?: string;
  deliveryId?: string;
  channel?: string;
  /** A mail account. */
  account?: string;
  attempt?: number;
  kind?: string;
  setting?: string;
  reason?: string;
};

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
};

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
