// Transforms in a folder of their own, and calls to them.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { makeFolder } from "../../../test/support/folder.ts";
import { openTransforms, type TransformCall, type Transforms, type TransformsOptions } from "./pool.ts";

export const reference = (module: string, name: string | null = null) => ({ module, export: name });

export const call = (payload: unknown = {}): TransformCall => ({
  input: { payload, headers: { "x-event": "push" }, query: { a: "1" }, path: "/hooks/build", name: "build" },
  action: { action: "agent", message: "hello", deliver: true },
});

export function folderWith(files: Record<string, string>): string {
  const folder = makeFolder("transforms");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export const open = (
  transformsDir: string,
  modules: readonly string[],
  options: Partial<TransformsOptions> = {},
) =>
  openTransforms({
    transformsDir,
    references: modules.map((module) => reference(module)),
    timeoutMs: 60_000,
    ...options,
  });

/** What is wrong with the modules. */
export async function faultsOf(...input: Parameters<typeof open>): Promise<string[]> {
  const opened = await open(...input);
  if (!opened.ok) return opened.faults.map(({ message }) => message);
  await opened.transforms.close();
  return [];
}

/** Closed after the test. */
export async function opened(context: TestContext, ...input: Parameters<typeof open>): Promise<Transforms> {
  const result = await open(...input);
  if (!result.ok) throw new Error(result.faults.map(({ message }) => message).join("\n"));
  context.after(() => result.transforms.close());
  return result.transforms;
}

/** One module, one call. */
export async function resultOf(context: TestContext, text: string, name = "one.ts"): Promise<unknown> {
  const transforms = await opened(context, folderWith({ [name]: text }), [name]);
  return transforms.run(reference(name), [call({ count: 1, list: [{ deep: true }] })]);
}
