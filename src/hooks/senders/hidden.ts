// What of a sender's request carries a secret, by its row.
import type { SenderKind } from "./kind.ts";

export type Hidden = { readonly headers: ReadonlySet<string>; readonly query: ReadonlySet<string> };

/** A key that arrives by request stands in this header. */
const keyHeaders = ["x-hook-secret"];

export function hiddenOf({ schemes }: Pick<SenderKind, "schemes">): Hidden {
  const places = schemes.flatMap(({ proof }) => (proof.kind === "equal" ? proof.at : []));
  return {
    headers: new Set([...keyHeaders, ...places.flatMap((place) => ("header" in place ? place.header : []))]),
    query: new Set(places.flatMap((place) => ("query" in place ? place.query : []))),
  };
}
