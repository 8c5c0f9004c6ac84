// The part of our environment that a program gets: a few common names and those its config names. Never the
// gateway's own secrets.
import { givenVariables, type Variables } from "../core/variables.ts";

const sharedNames = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "USER", "SHELL"];

/** The common names, and what the config gives. */
export const sharedEnvironment = (
  variables: Variables,
  environment: NodeJS.ProcessEnv,
): Record<string, string> => ({
  ...givenVariables(sharedNames, environment),
  ...givenVariables(variables, environment),
});
