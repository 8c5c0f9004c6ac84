// Environment variables that the configuration gives a program.

/** Names of variables that are copied from our environment, or variables with their values. */
export type Variables = readonly string[] | Readonly<Record<string, string>>;

const areNames = (variables: Variables): variables is readonly string[] => Array.isArray(variables);

export const namesOf = (variables: Variables): readonly string[] =>
  areNames(variables) ? variables : Object.keys(variables);

/** The variables with their values. A name that our environment does not have is left out. */
export function givenVariables(variables: Variables, environment: NodeJS.ProcessEnv): Record<string, string> {
  if (!areNames(variables)) return { ...variables };
  const given: Record<string, string> = {};
  for (const name of variables) {
    const value = environment[name];
    if (value !== undefined) given[name] = value;
  }
  return given;
}
