// Deliveries get lanes with heads, as runs have them, and a count of sent messages.

export const addOutbox = (): readonly string[] => [
  // Rows that a node of the previous version adds during an upgrade have no lane and can be claimed at once.
  "alter table delivery add column lane text",
  "alter table delivery add column head smallint not null default 1",
  "alter table delivery add column cursor integer not null default 0",
  "alter table delivery add column doubts integer not null default 0",
  "alter table delivery add column waiting_since bigint",
  "alter table delivery add column fallback text",
  `update delivery set head = 0, lane = substr('["' || channel || '",' || coalesce(recipient, 'null') || ']', 1, 500), waiting_since = created_at,
     doubts = case when status = 'waiting' and error like '"it may have been sent%' then 1 else 0 end`,
  `update delivery set head = 1 where seq in (
     select min(seq) from delivery where status = 'waiting' group by lane)`,

  // One head a lane; a claim is one indexed read of a channel's heads, however long any lane is.
  "create unique index delivery_lane_head on delivery(lane) where head = 1 and status = 'waiting'",
  "create index delivery_heads on delivery(channel, ready_at, seq) where head = 1 and status = 'waiting'",
  "create index delivery_lane_waiting on delivery(lane, seq) where head = 0 and status = 'waiting'",
  "drop index delivery_ready",
];
