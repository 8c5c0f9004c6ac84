// Checks the Gmail account, with the verdict of `rouse gmail status`.
import type { Config } from "../../config/config.ts";
import { judgeMail } from "../gmail/health.ts";
import { storedAccount } from "../gmail/status.ts";
import type { Context } from "../command.ts";
import { type Finding, notChecked } from "./finding.ts";

const check = "gmail";

/** Empty where no account is configured. */
export async function checkGmail(config: Config, context: Context): Promise<Finding[]> {
  const { gmail } = config.hooks;
  if (gmail === null) return [];
  try {
    const account = await storedAccount(config, gmail, context);
    const { state, message, fix } = judgeMail(gmail, account, context.clock.now());
    const status = state === "needs-reauth" ? "fail" : state === "ok" && fix === null ? "ok" : "warn";
    return [{ check, status, message: `${gmail.account}, ${gmail.mode}: ${message}`, fix }];
  } catch {
    return [notChecked(check, "the store could not be used")];
  }
}
