// The last line that a run's program wrote to standard error, and under which lease it was noted.

export const addLastLine = (): readonly string[] => [
  "alter table run add column last_line text",
  "alter table run add column last_line_lease text",
];
