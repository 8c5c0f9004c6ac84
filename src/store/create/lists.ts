// Reads long lists in pages, so that no statement blocks others for long.
import type { PageInput, PageResult } from "../programs/lists.ts";

const pageSize = 500;

/** Newest first; `limit` null: all. */
export async function collect<T>(
  limit: number | null,
  read: (input: PageInput) => Promise<PageResult<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let before: number | null = null;
  while (limit === null || items.length < limit) {
    const wanted = limit === null ? pageSize : Math.min(pageSize, limit - items.length);
    const page: PageResult<T> = await read({ limit: wanted, before });
    for (const item of page.items) items.push(item);
    if (page.last === null) break;
    before = page.last;
  }
  return items;
}
