// A list: newest first, behind a cursor.
import { z } from "zod";
import { type Refusal, refuse } from "../../core/errors.ts";
import type { Found } from "../../store/ports/search.ts";
import type { ApiDeps } from "../frame/deps.ts";
import { listKey, type Position } from "../frame/cursor.ts";
import { momentOf } from "../frame/moment.ts";
import { ok, type Reply, type Route, route } from "../frame/route.ts";
import { listOf } from "../shapes/fields.ts";
import { paging } from "./parameters.ts";

type Paging = { limit: number; cursor?: string | undefined };
/** `before`: a position that this list's search has given. */
type Page = { limit: number; before: never };

export type ListOptions<Filters extends z.ZodRawShape, Item> = {
  id: string;
  path: string;
  summary: string;
  filters: Filters;
  item: z.ZodType;
  search: (
    filters: z.output<z.ZodObject<Filters>>,
    page: Page,
    deps: ApiDeps,
  ) => Promise<{ items: Item[]; next: Position | null }>;
  toResource: (item: Item) => unknown;
};

export const list = <Filters extends z.ZodRawShape, Item>({
  id,
  path,
  summary,
  filters,
  item,
  search,
  toResource,
}: ListOptions<Filters, Item>): Route =>
  route({
    id,
    method: "GET",
    path,
    summary,
    query: z.strictObject({ ...paging, ...filters }) as unknown as z.ZodType<
      Paging & z.output<z.ZodObject<Filters>>
    >,
    answer: { status: 200, json: listOf(item) },
    refusals: ["invalid-parameter", "invalid-cursor"],
    async handle({ query, deps }): Promise<Reply | Refusal> {
      const { cursors } = deps.settings();
      const key = listKey(path, query);
      const before = query.cursor === undefined ? null : cursors.read(query.cursor, key);
      if (before === null && query.cursor !== undefined) return refuse("invalid-cursor");
      const { items, next } = await search(query, { limit: query.limit, before: before as never }, deps);
      return ok({
        items: items.map(toResource),
        nextCursor: next === null ? null : cursors.write(next, key),
      });
    },
  });

/** A list that is in memory as a whole, in its own order. */
export function pageOf<T>(
  all: readonly T[],
  { limit, before }: { limit: number; before: number | null },
): Found<T> {
  const from = before ?? 0;
  const items = all.slice(from, from + limit);
  return { items, next: from + limit < all.length ? from + limit : null };
}

/** `since` and `until` as moments, by the store's clock: that is what things are dated by. */
export async function windowOf(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  { store }: Pick<ApiDeps, "store">,
): Promise<{ since?: number; until?: number }> {
  if (since === undefined && until === undefined) return {};
  const now = await store.databaseTime();
  const read = (written: string) => momentOf(written, now)!;
  return {
    ...(since !== undefined && { since: read(since) }),
    ...(until !== undefined && { until: read(until) }),
  };
}

/** The value, or the refusal of an id that nothing has. */
export const found = <T>(item: T | null, what: string, id: string): T | Refusal =>
  item ?? refuse("unknown-item", { detail: `There is no ${what} with the id ${id}.` });
