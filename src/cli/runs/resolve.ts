// An id as a person writes it: whole, its beginning, or `last` for the newest.
import { UsageError } from "../../core/errors.ts";
import { type IdKind, type ResolvedId, shortestPrefix } from "../../store/ports/search.ts";
import type { Store } from "../../store/ports/store.ts";

const plurals: Readonly<Record<IdKind, string>> = {
  request: "requests",
  run: "runs",
  event: "events",
  delivery: "deliveries",
};

/** For the help of commands that take an id. */
export const idHelp = `An ID may be shortened to its beginning, where no other has it (at least ${shortestPrefix} characters),
and last is the newest.`;

export async function resolveId(
  store: Pick<Store, "resolveId">,
  kind: IdKind,
  written: string,
): Promise<string> {
  const resolved = await store.resolveId(kind, written);
  if (resolved.kind === "one") return resolved.id;
  throw new UsageError(
    resolved.kind === "none" ? unknownId(kind, written) : severalIds(kind, written, resolved),
  );
}

export const unknownId = (kind: IdKind, written: string): string =>
  written === "last"
    ? `There is no ${kind} yet.`
    : `There is no ${kind} with the id ${written}. An id is whole, or its beginning of at least ${shortestPrefix} characters, or last. See: rouse ${plurals[kind]}`;

function severalIds(
  kind: IdKind,
  written: string,
  { candidates, more }: Extract<ResolvedId, { kind: "several" }>,
): string {
  const lines = candidates.map(({ id, createdAt }) => `  ${id}  ${new Date(createdAt).toISOString()}`);
  const head = `Several ${plurals[kind]} have an id that begins with ${written}. Write more of it:`;
  return [head, ...lines, ...(more ? ["  and others"] : [])].join("\n");
}

/** Where the id was found and the row has gone meanwhile. */
export async function findBy<T>(
  store: Store,
  { kind, written }: { kind: IdKind; written: string },
  find: (id: string) => Promise<T | null>,
): Promise<T> {
  const item = await find(await resolveId(store, kind, written));
  if (item === null) throw new UsageError(unknownId(kind, written));
  return item;
}
