// The corpus: inputs that once led to something new. Those in `corpus/` are kept with the code; inputs that a run
// finds go to `corpus/found/`, which git ignores: they depend on the machine, and are reviewed before they are kept.
import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** `bytes` has one character for each byte; the token is written `TOKEN`. */
type Entry = { hook: string; outcome: string; bytes: string };

export type Corpus = {
  readonly inputs: readonly Buffer[];
  /** Names these inputs, so that a run can be repeated with the same ones. */
  readonly fingerprint: string;
  /** Outcomes that are in it already, as `ledger` names them. */
  readonly known: readonly { hook: string; outcome: string }[];
};

const seeds = fileURLToPath(new URL("./corpus/", import.meta.url));
export const foundFolder = join(seeds, "found");
const placeholder = "TOKEN";

/** `withFound`: also what earlier runs on this machine have found. */
export function loadCorpus(token: string, withFound: boolean): Corpus {
  const folders = withFound && existsSync(foundFolder) ? [seeds, foundFolder] : [seeds];
  const entries = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Entry),
  );
  const texts = entries.map(({ bytes }) => bytes);
  return {
    inputs: texts.map((text) => Buffer.from(text.replaceAll(placeholder, token), "latin1")),
    fingerprint: hash("sha256", JSON.stringify(texts), "hex").slice(0, 12),
    known: entries.map(({ hook, outcome }) => ({ hook, outcome })),
  };
}

const longestKept = 4096;

export function keepFound(token: string, found: { hook: string; outcome: string; bytes: Buffer }): void {
  if (found.bytes.length > longestKept) return;
  mkdirSync(foundFolder, { recursive: true });
  const { hook, outcome } = found;
  const bytes = found.bytes.toString("latin1").replaceAll(token, placeholder);
  const name = `${hook}-${outcome}`.replace(/[^a-z0-9]+/g, "-");
  writeFileSync(join(foundFolder, `${name}.json`), `${JSON.stringify({ hook, outcome, bytes }, null, 2)}\n`);
}
