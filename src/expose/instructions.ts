// What a person has to know once hooks can be reached: each address, what to paste where, and what still stands in the way.
import type { Config } from "../config/config.ts";
import { createClientAddress } from "../http/client-address.ts";
import type { ExposedHook } from "./exposed-hooks.ts";
import type { Tool } from "./tools.ts";

export const hookAddress = (address: string, hooksPath: string, { name }: ExposedHook): string =>
  `${address}${hooksPath}/${name}`;

/** One line for each hook, and below it the steps in its sender's settings. */
export function hookLines(hook: ExposedHook, address: string): string[] {
  const { name, sender } = hook;
  if (sender === null)
    return [
      `${name}  ${address}`,
      "    POST, with hooks.token or a named token: Authorization: Bearer TOKEN",
    ];
  const { kind } = sender;
  const secret = `hooks.senders.${name}.secret`;
  const paste =
    kind.secret.from === "us"
      ? `paste the secret of ${secret} into ${kind.secret.where}`
      : kind.secret.from === "sender"
        ? `its secret, ${kind.secret.where}, belongs into ${secret}`
        : kind.secret.where;
  const steps = kind.describe.setUp.map((step) =>
    step.replaceAll("ADDRESS", address).replaceAll("SECRET", `the secret of ${secret}`),
  );
  return [`${name}  ${address}  (${kind.label}: ${paste})`, ...steps.map((step) => `    ${step}`)];
}

export function warningsFor(
  { gateway }: Pick<Config, "gateway">,
  tool: Tool,
  /** Each with its address. */
  exposed: readonly { hook: ExposedHook; address: string }[],
): string[] {
  const signed = exposed.filter(({ hook }) => signsAddress(hook));
  return [
    ...(tool.isStable
      ? []
      : [
          `This address of ${tool.name} is for now only: the next start has another name, to be entered again.`,
        ]),
    ...signed
      .filter(({ hook, address }) => hook.sender?.settings.publicUrl !== address)
      .map(
        ({ hook, address }) =>
          `${hook.sender?.kind.label} signs the address it calls: set hooks.senders.${hook.name}.publicUrl to ${address}, or every request is 401.`,
      ),
    ...(trustsRelay(gateway.trustedProxies)
      ? []
      : [
          'gateway.trustedProxies has no 127.0.0.1: all callers count as one address. Set "trustedProxies": ["127.0.0.1"].',
        ]),
  ];
}

const signsAddress = ({ sender }: ExposedHook): boolean =>
  sender !== null && (sender.kind.needs?.publicUrl !== undefined || sender.settings.publicUrl !== null);

const someone = "192.0.2.1";
const trustsRelay = (trustedProxies: readonly string[]): boolean =>
  createClientAddress(trustedProxies)("127.0.0.1", ["X-Forwarded-For", someone]) === someone;
