// The draft of a setup that they, the config and the kept login make.
import type { Config } from "../../config/config.ts";
import { gmailModes } from "../../config/schema/gmail.ts";
import { readClientFile, readServiceAccount } from "../../gmail-setup/client-file.ts";
import type { Credentials } from "../../gmail-setup/credentials.ts";
import type { LoginSource } from "../../gmail-setup/login.ts";
import type { SetupInput, MailMode } from "../../gmail-setup/goal.ts";
import type { Values } from "../terminal/arguments.ts";
import { WrongUsage } from "../command.ts";
import type { setupFlags } from "./options.ts";

export type SetupValues = Values<typeof setupFlags>;

/** A person may still be asked for what is missing. */
export type Draft = { [Name in keyof SetupInput]?: SetupInput[Name] | undefined } & {
  source: LoginSource | null;
};

export function readMode(written: string | undefined): MailMode | undefined {
  const mode = gmailModes.find((each) => each === written);
  if (written !== undefined && mode === undefined)
    throw new WrongUsage(`--mode must be poll, pull or push, not "${written}".`);
  return mode;
}

export function readSource(values: SetupValues): LoginSource | null {
  const { client, "service-account": serviceAccount } = values;
  if (client !== undefined && serviceAccount !== undefined)
    throw new WrongUsage("--client and --service-account cannot both be given: they are two ways to log in.");
  if (client !== undefined) return { kind: "desktop", client: readClientFile(client) };
  return serviceAccount === undefined
    ? null
    : { kind: "service-account", key: readServiceAccount(serviceAccount) };
}

/** Flags take precedence over the config. */
export function draftOf(values: SetupValues, config: Config | null): Draft {
  const gmail = config?.hooks.gmail ?? null;
  const account = values.account?.trim() || gmail?.account;
  // The store knows the account by the spelling in the config.
  const isSame = account?.toLowerCase() === gmail?.account.toLowerCase();
  const mode = readMode(values.mode) ?? (isSame ? gmail?.mode : undefined);
  return {
    account: isSame ? gmail?.account : account,
    mode,
    label: values.label ?? gmail?.label,
    project: values.project,
    topic: values.topic ?? gmail?.topic ?? undefined,
    subscription: values.subscription ?? (gmail?.topic ? (gmail.subscription ?? undefined) : undefined),
    pushEndpoint: values["push-endpoint"] ?? endpointIn(gmail?.oidc?.audience),
    audience: values.audience ?? (values["push-endpoint"] ? undefined : gmail?.oidc?.audience),
    oidcServiceAccount: values["oidc-service-account"] ?? gmail?.oidc?.serviceAccountEmail,
    provisioned: values.provisioned,
    source: readSource(values),
  };
}

const endpointIn = (audience: string | undefined): string | undefined =>
  audience?.startsWith("https://") ? audience : undefined;

/** Topics must be in the project of the login. */
export function projectOf(source: LoginSource | null, kept: Credentials | null): string | null {
  if (source?.kind === "desktop") return source.client.projectId;
  return (source?.key ?? kept)?.project_id ?? null;
}
