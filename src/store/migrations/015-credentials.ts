// The named token that a recorded request came with. Null: `hooks.token`, or an earlier version recorded it.

export const nameCredentials = (): readonly string[] => ["alter table request add column credential text"];
