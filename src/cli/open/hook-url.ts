// The URL of a hook, for a client on the gateway's machine.
import type { Config } from "../../config/config.ts";
import { UsageError } from "../../core/errors.ts";
import { withoutEndSlash } from "../../core/text.ts";
import { addressOf, hookName, localHost } from "./address.ts";
import { WrongUsage } from "../command.ts";

/** `written` is the value of --url, if it was given. */
export function hookUrl({ gateway, hooks, file }: Config, hook: string, written: string | undefined): string {
  if (written === undefined && gateway.port === 0)
    throw new UsageError(
      `gateway.port in ${file} is 0 (any free port). Give the gateway's address: --url http://HOST:PORT`,
    );
  const base = written ?? addressOf(localHost(gateway.host), gateway.port);
  if (!/^https?:\/\//i.test(base) || !URL.canParse(base))
    throw new WrongUsage("--url must be an address such as http://127.0.0.1:4665");
  return `${withoutEndSlash(base)}${hooks.path}/${hookName(hook)}`;
}
