// The size of each event, in the index of those that wait: they can be counted and added up without reading their texts.

export const addEventSizes = (): readonly string[] => [
  // Null for events that a node of the previous version adds during an upgrade.
  "alter table event add column bytes bigint",
  "update event set bytes = octet_length(text) where shown_at is null",
  "drop index event_next",
  "create index event_next on event(session_key, (-seq), bytes) where shown_at is null",
];
