// Opens the store for `gmail setup` and `gmail stop`; creates it when there is none.
import { secondsToMs } from "../../core/duration.ts";
import { existsSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { faultKind, UsageError } from "../../core/errors.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Context } from "../command.ts";
import { openStore } from "../open/store.ts";
import { noteLine } from "../terminal/output.ts";

/** Null when the store cannot be used now: the gateway does the rest at its first sync. */
export async function openOrMakeStore(config: Config["store"], context: Context): Promise<Store | null> {
  try {
    if (config.url === null && !existsSync(config.path)) {
      const { openSqliteStore } = await import("../../store/sqlite/open.ts");
      const { path, leaseSeconds } = config;
      await (
        await openSqliteStore({ path, clock: context.clock, leaseMs: secondsToMs(leaseSeconds) })
      ).close();
    }
    return await openStore(config, context.clock);
  } catch (fault) {
    const reason = fault instanceof UsageError ? fault.message : faultKind(fault);
    noteLine(context, `The store cannot be used now (${reason}): mail counts from the gateway's first sync.`);
    return null;
  }
}
