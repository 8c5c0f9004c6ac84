#!/bin/sh
# The lab's agent. It notes what it does in the journal of its lab, and does what its message asks for:
# [steps N]: so many short waits, with a note after each; [hold NAME]: waits until the file NAME is there.
# While there is a file named moody, some turns of the main session fail.
note() {
  printf '%s %s %s %s\n' "$1" "$ROUSE_RUN_ID" "$$" "$ROUSE_SESSION_KEY" >>"$LAB/journal"
}
note start
prompt=$(cat)
steps=0
hold=
if [ "$ROUSE_SESSION_KEY" = main ]; then
  printf '%s\n' "$prompt" >"$LAB/prompts/$ROUSE_RUN_ID.$$"
  steps=1
  [ -e "$LAB/moody" ] && [ $(($$ % 6)) -eq 0 ] && exit 1
else
  case "$prompt" in *"[steps "*) steps=${prompt#*"[steps "} steps=${steps%%"]"*} ;; esac
  case "$prompt" in *"[hold "*) hold=${prompt#*"[hold "} hold=${hold%%"]"*} ;; esac
fi
while [ "$steps" -gt 0 ]; do
  sleep 0.02
  note step
  steps=$((steps - 1))
done
while [ -n "$hold" ] && [ ! -e "$LAB/$hold" ]; do
  sleep 0.05
  note step
done
note end
echo "done $ROUSE_RUN_ID"
