// The tools for the agent's own folder.
import { tool, type Tool } from "ai";
import { z } from "zod";
import { execution, type Gate } from "./execution.ts";
import { listFolder } from "./list.ts";
import { readPage } from "./read.ts";
import { searchFiles } from "./search.ts";
import { writeFile } from "./write.ts";

const file = z.string().min(1).describe("A file, relative to the workspace, such as notes/today.md.");
const folder = z
  .string()
  .describe("A folder, relative to the workspace. Left out: the whole workspace.")
  .optional();

/** `root` is the workspace's real path. */
export function workspaceTools(root: string, gate: Gate): Record<"read" | "list" | "search" | "write", Tool> {
  return {
    read: tool({
      description: "Reads a text file in the workspace. A long one comes in pages.",
      inputSchema: z.object({
        path: file,
        offset: z.number().int().min(0).describe("The byte to begin at, for the next page.").optional(),
      }),
      execute: execution((input) => readPage(root, input), gate, false),
    }),
    list: tool({
      description: "Lists files and folders in the workspace, with the sizes of files.",
      inputSchema: z.object({
        path: folder,
        depth: z
          .number()
          .int()
          .min(1)
          .max(5)
          .describe("How many levels of folders to show. Default 1.")
          .optional(),
      }),
      execute: execution((input, signal) => listFolder(root, input, signal), gate, false),
    }),
    search: tool({
      description:
        "Finds lines that contain a text, in all text files below a folder of the workspace (not in .git and node_modules). The text is taken literally; there are no patterns.",
      inputSchema: z.object({
        text: z.string().min(1).max(1000).describe("The text to find, within one line."),
        path: folder,
        ignoreCase: z.boolean().describe("Capital and small letters are the same. Default false.").optional(),
        nameEndsWith: z.string().describe("Only files whose names end with this, such as .md.").optional(),
      }),
      execute: execution((input, signal) => searchFiles(root, input, signal), gate, false),
    }),
    write: tool({
      description: "Creates or replaces a text file in the workspace. Folders on the way are made.",
      inputSchema: z.object({ path: file, content: z.string().describe("The whole content of the file.") }),
      execute: execution((input, signal) => writeFile(root, input, signal), gate, true),
    }),
  };
}
