// Finds a program in PATH, as the system does.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

export function findProgram(command: string, path: string): string | null {
  if (command.includes("/")) return isProgram(command) ? command : null;
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, command)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
