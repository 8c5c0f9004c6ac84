// Senders: how their calls went, and the keys that arrived by request.

export const addSenders = (): readonly string[] => [
  `create table sender_call(
     name text not null,
     result text not null,
     calls bigint not null,
     last_at bigint not null,
     skew_ms bigint,
     primary key (name, result)
   )`,
  // A row without a key is a window in which one is taken.
  `create table sender_key(
     name text primary key,
     secret text,
     taken_at bigint,
     pairing_until bigint
   )`,
];
