// The files outside the config file that a configuration depends on: transforms, channel modules, the login of a mail
// account. The watch of the config file compares this fingerprint, too.
import { stat } from "node:fs/promises";
import type { Config } from "../config/config.ts";
import { mailFingerprint } from "../mail/accounts.ts";
import { folderFingerprint } from "../transforms/fingerprint.ts";

/** Changes when one of these files does. Never rejects: a file that cannot be read is a state like any other. */
export async function watchedFilesFingerprint(config: Config): Promise<string> {
  const { hooks, channels } = config;
  const hasTransforms = hooks.mappings.some(({ transform }) => transform !== null);
  const parts = await Promise.all([
    hasTransforms ? folderFingerprint(hooks.transformsDir) : "",
    mailFingerprint(config),
    ...channels.plugins.map(({ module }) => modifiedAt(module)),
  ]);
  return parts.join(" ");
}

const modifiedAt = (file: string): Promise<string> =>
  stat(file).then(
    ({ mtimeMs }) => String(mtimeMs),
    () => "missing",
  );
