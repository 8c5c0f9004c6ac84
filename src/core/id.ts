// Ids are UUID version 7: sortable by time for people, but never relied on for order.
import { randomUUIDv7 } from "node:crypto";

export const newId = (): string => randomUUIDv7();

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isId = (text: string): boolean => uuidShape.test(text);

/** When an id of version 7 was made; null for any other text. */
export const timeOfId = (id: string): number | null =>
  isId(id) && id[14] === "7" ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : null;
