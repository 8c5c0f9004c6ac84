#!/bin/sh
# The agent of the outbox test: a reply of three parts, each too long to share a message with another.
cat >/dev/null
filler=$(printf '%0600d' 0 | sed 's/0/word /g')
for part in 1 2 3; do
  printf '%s/%s %s\n\n' "$ROUSE_RUN_ID" "$part" "$filler"
done
