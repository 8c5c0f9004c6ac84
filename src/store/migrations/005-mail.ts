// Mail accounts, and the messages that have been taken in.

export const addMail = (): readonly string[] => [
  `create table mail_account(
     id text primary key,
     cursor text,
     cursor_at bigint,
     last_sync_at bigint,
     status text not null default 'ok',
     last_error text,
     watch_expiration bigint,
     watch_due_at bigint,
     lease text,
     lease_until bigint
   )`,

  // The primary key ensures that a message is taken in once.
  `create table mail_seen(
     account text not null,
     message_id text not null,
     outcome text not null,
     attempts integer not null default 1,
     ready_at bigint,
     at bigint not null,
     primary key (account, message_id)
   )`,
  "create index mail_seen_waiting on mail_seen(account, ready_at) where outcome = 'waiting'",
  "create index mail_seen_at on mail_seen(at)",
];
