// `rouse gmail test`: posts a made-up mail to the hook; from there it goes the way of a real one.
import { newId } from "../../core/id.ts";
import type { Mail } from "../../mail/mailbox.ts";
import { UsageError } from "../../core/errors.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import type { Context } from "../command.ts";
import { hookUrl } from "../open/hook-url.ts";
import { postHook } from "../send/post.ts";
import { showResponse } from "../send/response.ts";
import { loadSettings } from "../open/settings.ts";
import { testFlags } from "./options.ts";
import { gmailOf } from "./status.ts";

export async function runTestMail(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, testFlags);
  refuseMore(positionals, 0);
  const { config } = await loadSettings(context, values.config);
  const { account, label } = gmailOf(config);
  const [token] = config.hooks.tokens;
  if (token === undefined) throw new UsageError(`Set hooks.enabled and hooks.token in ${config.file} first.`);
  const payload = { source: "gmail", account, messages: [madeUpMail(account, label, context.clock.now())] };
  const response = await postHook(hookUrl(config, "gmail", values.url), {
    token,
    body: JSON.stringify(payload),
    headers: [],
    idempotencyKey: undefined,
  });
  return showResponse(context, config, response, { wait: values.wait === true, json: values.json === true });
}

/** In the shape of a real mail. Its text asks for nothing but one sentence. */
function madeUpMail(account: string, label: string, now: number): Mail {
  const body = `This mail is made up: "rouse gmail test" sent it, to see that mail for ${account} reaches its agent. There is nothing to do about it but to answer with one short sentence.`;
  const id = `test-${newId()}`;
  return {
    id,
    threadId: id,
    from: `Rouse <${account}>`,
    to: account,
    subject: "A test of the mail watch",
    date: new Date(now).toISOString(),
    snippet: body.slice(0, 100),
    body,
    bodyTruncated: false,
    labels: [label],
    attachments: [],
  };
}
