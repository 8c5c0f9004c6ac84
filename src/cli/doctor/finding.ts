// The result of one check of the doctor. `fix` says what to do about it.

export type Finding = { check: string; status: "ok" | "warn" | "fail"; message: string; fix: string | null };

export const ok = (check: string, message: string): Finding => ({ check, status: "ok", message, fix: null });

export const warn = (check: string, message: string, fix: string | null): Finding => ({
  check,
  status: "warn",
  message,
  fix,
});

export const fail = (check: string, message: string, fix: string): Finding => ({
  check,
  status: "fail",
  message,
  fix,
});

export const notChecked = (check: string, why: string): Finding => warn(check, `not checked: ${why}`, null);
