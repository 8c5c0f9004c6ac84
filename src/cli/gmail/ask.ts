// Asks a person for the settings that are missing. Loaded only on a terminal, and only when one is missing.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { cancel, confirm, intro, isCancel, note, select, text } from "@clack/prompts";
import { UsageError } from "../../core/errors.ts";
import { readClientFile, readServiceAccount } from "../../gmail-setup/client-file.ts";
import type { Credentials } from "../../gmail-setup/credentials.ts";
import type { LoginSource } from "../../gmail-setup/login.ts";
import { isAddress, type MailMode } from "../../gmail-setup/goal.ts";
import { pathFrom } from "../terminal/folder.ts";
import { type Draft, projectOf } from "./flags.ts";
import type { Terminal } from "../terminal/person.ts";

type Streams = Pick<Terminal, "input" | "output">;

/** `keptFor` returns the login that is stored for an account; relative paths start at `folder`. */
export async function askMissing(
  draft: Draft,
  keptFor: (account: string) => Credentials | null,
  { input, output }: Terminal,
  folder: string,
): Promise<Draft> {
  const streams = { input, output };
  intro("Each new mail becomes a run of an agent.", { output });
  const account =
    draft.account ?? (await askText(streams, "Which mailbox? Its whole address:", { check: addressFault }));
  const kept = keptFor(account);
  const source = draft.source ?? (kept === null ? await askSource(streams, folder) : null);
  const mode = draft.mode ?? (await askMode(streams));
  const asked = { ...draft, account, source, mode };
  return mode === "poll" ? asked : askCloud(asked, projectOf(source, kept), streams);
}

export async function confirmed({ input, output }: Terminal, lines: readonly string[]): Promise<void> {
  note(lines.join("\n"), "What will be done", { output });
  if (!answered(await confirm({ message: "Go on?", input, output }), output)) throw givenUp(output);
}

async function askMode(streams: Streams): Promise<MailMode> {
  const options: { value: MailMode; label: string; hint: string }[] = [
    { value: "poll", label: "Ask Gmail every half minute", hint: "nothing else to set up" },
    { value: "pull", label: "Pub/Sub, fetched", hint: "within seconds; no public address" },
    { value: "push", label: "Pub/Sub, pushed", hint: "needs a public https address" },
  ];
  const message = "How does Rouse learn of new mail?";
  return answered(await select({ ...streams, message, options, initialValue: "poll" }), streams.output);
}

async function askSource(streams: Streams, folder: string): Promise<LoginSource> {
  const kind = answered(
    await select<LoginSource["kind"]>({
      ...streams,
      message: "How does Rouse log in?",
      options: [
        { value: "desktop", label: "With your account, in a browser", hint: "an OAuth client, Desktop app" },
        {
          value: "service-account",
          label: "As a service account",
          hint: "Workspace, domain-wide delegation",
        },
      ],
    }),
    streams.output,
  );
  const what = kind === "desktop" ? "the OAuth client" : "the service account's key";
  const read = (file: string): LoginSource =>
    kind === "desktop" ? { kind, client: readClientFile(file) } : { kind, key: readServiceAccount(file) };
  const file = await askText(streams, `The JSON file of ${what}:`, {
    check: (written) => fileFault(pathOf(folder, written), read),
  });
  return read(pathOf(folder, file));
}

async function askCloud(draft: Draft, project: string | null, streams: Streams): Promise<Draft> {
  const isKnown = draft.project ?? draft.topic?.startsWith("projects/") ?? project;
  const asked = {
    ...draft,
    project: isKnown
      ? (draft.project ?? project ?? undefined)
      : await askText(streams, "The Google Cloud project's id:"),
  };
  if (draft.mode !== "push") return asked;
  return {
    ...asked,
    pushEndpoint:
      draft.pushEndpoint ??
      (await askText(streams, "Where does Google reach the gateway?", {
        placeholder: "https://HOST/gmail-pubsub",
        check: (written) => (written.startsWith("https://") ? undefined : "It begins with https://"),
      })),
    oidcServiceAccount:
      draft.oidcServiceAccount ??
      (await askText(streams, "Which service account signs Google's requests?", {
        placeholder: "NAME@PROJECT.iam.gserviceaccount.com",
        check: addressFault,
      })),
  };
}

type Check = (written: string) => string | undefined;

async function askText(
  streams: Streams,
  message: string,
  { placeholder, check }: { placeholder?: string; check?: Check } = {},
): Promise<string> {
  const validate = (written: string | undefined) =>
    written?.trim() ? check?.(written.trim()) : "Something has to be written here.";
  const answer = await text({
    ...streams,
    message,
    validate,
    ...(placeholder !== undefined && { placeholder }),
  });
  return answered(answer, streams.output).trim();
}

const addressFault: Check = (written) =>
  isAddress(written) ? undefined : "A whole address, such as me@example.com";

function fileFault(file: string, read: (file: string) => unknown): string | undefined {
  if (!existsSync(file)) return `There is no such file: ${file}`;
  try {
    read(file);
    return undefined;
  } catch (fault) {
    return fault instanceof Error ? fault.message : "It cannot be used.";
  }
}

const pathOf = (folder: string, written: string): string =>
  pathFrom(folder, written.trim().replace(/^~(?=\/)/, homedir()));

function answered<T>(answer: T, output: Streams["output"]): Exclude<T, symbol> {
  if (isCancel(answer)) throw givenUp(output);
  return answer as Exclude<T, symbol>;
}

function givenUp(output: Streams["output"]): UsageError {
  cancel("Given up.", { output });
  return new UsageError("Nothing was changed.");
}
