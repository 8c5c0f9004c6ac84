// The part of our environment that a program gets: a few common names and those its config names. Never the
// gateway's own secrets.

const sharedNames = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "USER", "SHELL"];

/** Copies the common names and those in the config. */
export function sharedEnvironment(
  configuredNames: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...sharedNames, ...configuredNames]) {
    const value = environment[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}
