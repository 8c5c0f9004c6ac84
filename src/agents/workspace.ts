// The folder that a program works in.
import { mkdir } from "node:fs/promises";
import { codeOf } from "../core/errors.ts";
import { type Failed, failed } from "./failure.ts";

/** Null when the folder is there. */
export async function makeWorkspace(folder: string): Promise<Failed | null> {
  try {
    await mkdir(folder, { recursive: true });
    return null;
  } catch (fault) {
    return failed(`the workspace ${folder} could not be made: ${codeOf(fault)}`);
  }
}
