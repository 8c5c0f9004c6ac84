// Asks a person what a sender needs. Loaded only on a terminal, and only when something is missing.
import { cancel, intro, isCancel, multiselect, note, password, text } from "@clack/prompts";
import { UsageError } from "../../core/errors.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import type { SpecialSetting } from "../../hooks/senders/settings.ts";
import type { Terminal } from "../terminal/person.ts";
import { type Draft, lacksSecret, missingSettings, publicUrlFault } from "./draft.ts";

type Streams = Pick<Terminal, "input" | "output">;

export type Asked = {
  kind: SenderKind;
  /** The steps in the sender's settings, with this address. */
  stepsAt: (publicUrl: string | null) => string[];
  /** Topics of the mappings to choose from; empty: none is needed. */
  topics: readonly string[];
};

export async function askMissing(
  draft: Draft,
  { kind, stepsAt, topics }: Asked,
  { input, output }: Streams,
): Promise<Draft> {
  const streams = { input, output };
  const lacks = lacksSecret(kind, draft);
  const mustChoose = draft.mappings.length === 0 && topics.length > 1;
  const missing = missingSettings(kind, draft).filter(([name]) => name !== "publicUrl");
  if (draft.publicUrl !== null && !lacks && !mustChoose && missing.length === 0) return draft;
  intro(`A sender of the kind ${kind.id}: ${kind.label}`, { output });
  const publicUrl = draft.publicUrl ?? (await askUrl(kind, streams));
  if (lacks) note(stepsAt(publicUrl).join("\n"), `At ${kind.label}`, { output });
  const settled = await askSettings({ ...draft, publicUrl }, missing, streams);
  const proven = lacks ? await askProof(settled, kind, streams) : settled;
  return mustChoose ? { ...proven, mappings: await askTopics(topics, streams) } : proven;
}

async function askUrl({ needs }: SenderKind, streams: Streams): Promise<string | null> {
  const isNeeded = needs?.publicUrl !== undefined;
  const answer = await askText(streams, {
    message: isNeeded
      ? "Which address does it call? It signs it, so it has to be the exact one:"
      : "Where does it reach this gateway? (empty: not known yet)",
    placeholder: "https://hooks.example.com",
    check: (written) => {
      if (written === "") return isNeeded ? "It has to be written here." : null;
      return publicUrlFault(written);
    },
  });
  return answer === "" ? null : answer;
}

const listed: readonly SpecialSetting[] = ["origins", "topicArns"];

async function askSettings(
  draft: Draft,
  missing: readonly [SpecialSetting, string][],
  streams: Streams,
): Promise<Draft> {
  let settled = draft;
  for (const [name, where] of missing) {
    const check = (written: string) => (written === "" ? "It has to be written here." : null);
    const answer = await askText(streams, { message: `${name}: ${where}`, check });
    const value = listed.includes(name) ? answer.split(/[\s,]+/) : answer;
    settled = { ...settled, settings: { ...settled.settings, [name]: value } };
  }
  return settled;
}

async function askProof(draft: Draft, { secret }: SenderKind, streams: Streams): Promise<Draft> {
  const check = (written: string): string | null => {
    if (written === "") return "It has to be written here.";
    return secret.shape?.pattern.test(written) === false
      ? `It cannot be right: it ${secret.shape.says}.`
      : null;
  };
  if (secret.from === "public-key")
    return { ...draft, publicKey: await askText(streams, { message: `Public key: ${secret.where}`, check }) };
  const answer = answered(
    await password({
      ...streams,
      message: `Secret: ${secret.where}`,
      validate: (written) => check((written ?? "").trim()) ?? undefined,
    }),
    streams.output,
  );
  return { ...draft, secret: { text: answer.trim(), isMade: false } };
}

const askTopics = async (topics: readonly string[], streams: Streams): Promise<string[]> =>
  answered(
    await multiselect({
      ...streams,
      message: "What becomes a run?",
      options: topics.map((topic) => ({ value: topic, label: topic.replaceAll("-", " ") })),
      initialValues: topics.slice(0, 1),
      required: true,
    }),
    streams.output,
  );

type Question = { message: string; placeholder?: string; check: (written: string) => string | null };

async function askText(streams: Streams, { message, placeholder, check }: Question): Promise<string> {
  const answer = await text({
    ...streams,
    message,
    validate: (written) => check((written ?? "").trim()) ?? undefined,
    ...(placeholder !== undefined && { placeholder }),
  });
  return answered(answer, streams.output)?.trim() ?? "";
}

function answered<T>(answer: T, output: Streams["output"]): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  cancel("Given up.", { output });
  throw new UsageError("Nothing was changed.");
}
