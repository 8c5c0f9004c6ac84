// Which route serves a path and a method.
import { type Refusal, refuse } from "../../core/errors.ts";
import type { Route } from "./route.ts";

export const apiPath = "/api/v1";

export type FoundRoute = { route: Route; params: Readonly<Record<string, string>> };

/** `path`: below `apiPath`, as it was sent. HEAD is served as GET. */
export function findRoute(
  routes: readonly Route[],
  method: string | undefined,
  path: string,
): FoundRoute | Refusal {
  const here = routes.flatMap((route) => {
    const params = paramsOf(route, path);
    return params === null ? [] : [{ route, params }];
  });
  if (here.length === 0)
    return refuse("not-found", {
      detail: `The admin API has no such path. It is described at ${apiPath}/openapi.json.`,
    });
  const wanted = method === "HEAD" ? "GET" : method;
  return (
    here.find(({ route }) => route.method === wanted) ??
    refuse("method-not-allowed", { allow: allowedMethods(here.map(({ route }) => route.method)) })
  );
}

const allowedMethods = (methods: readonly string[]): string =>
  [...new Set(methods.flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : [each])))].join(", ");

/** Null: not this path. What cannot be decoded is no parameter. */
function paramsOf({ pattern, names }: Route, path: string): Record<string, string> | null {
  const match = pattern.exec(path);
  if (match === null) return null;
  try {
    return Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1]!)]));
  } catch {
    return null;
  }
}
