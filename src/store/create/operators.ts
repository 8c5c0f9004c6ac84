// The ports of what operators do: pauses of hooks, and the audit.
import type { Driver } from "../driver/program.ts";
import type { Audit } from "../ports/audit.ts";
import type { PausedHooks } from "../ports/hooks.ts";
import type { Programs } from "../programs/catalogue.ts";

export const createPausedHooks = (driver: Driver<Programs>): PausedHooks => ({
  pauseHook: (hook) => driver.run("pauseHook", { hook }),
  resumeHook: (hook) => driver.run("resumeHook", { hook }),
  pausedHooks: () => driver.run("pausedHooks", null),
});

export const createAudit = (driver: Driver<Programs>): Audit => ({
  addAudit: (entry) => driver.run("addAudit", entry),
  searchAudit: (search) => driver.run("searchAudit", search),
});
