// The folder that relative paths on the command line start from.
import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** The scripts of package.json that hand their arguments on to the command. */
const scripts = ["rouse", "start"];

/**
 * `npm run` goes to the folder of package.json first, and leaves in INIT_CWD where the user stood. It counts only where
 * npm runs such a script of this very checkout: the variable is also seen by all that npm starts in other ways, and by
 * their children.
 */
export function folderOfUser(env: NodeJS.ProcessEnv, current: string, checkout: string): string {
  const { INIT_CWD: stood, npm_package_json: manifest, npm_lifecycle_event: script } = env;
  if (stood === undefined || !isAbsolute(stood) || manifest === undefined) return current;
  if (script === undefined || !scripts.includes(script)) return current;
  const isOurs = isSame(manifest, join(checkout, "package.json")) && isSame(current, dirname(manifest));
  return isOurs ? stood : current;
}

function isSame(path: string, other: string): boolean {
  try {
    return realpathSync(path) === realpathSync(other);
  } catch {
    return false;
  }
}

/** `-` is standard input. */
export const pathFrom = (folder: string, written: string): string =>
  written === "-" ? written : resolve(folder, written);
