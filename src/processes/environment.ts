// What a program that we start sees of our environment: a few names everyone needs and those its config names. Never
// the gateway's own secrets.

const sharedNames = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "USER", "SHELL"];

/** The names everyone needs and those the config names. */
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
