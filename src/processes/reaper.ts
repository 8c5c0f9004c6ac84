// Ends what a gateway that was killed leaves behind. Programs run in groups of their own and would outlive it; the
// next gateway would begin the same run while the old program is still at it.
//
// A small shell holds the other end of a pipe and the numbers of the groups that run. The pipe closes however the
// gateway ends, and then the groups are killed. It lives only while something is held.
import { type ChildProcess, spawn } from "node:child_process";

export type Held = { watch(group: number): void; letGo(): void };
export type Reaper = {
  /** Called before a program is started, so that the reaper is there first. */
  hold(): Held;
};

const script = `trap '' TERM INT HUP
groups=
while read -r word group; do
  rest=
  for each in $groups; do [ "$each" = "$group" ] || rest="$rest $each"; done
  groups=$rest
  [ "$word" = watch ] && groups="$groups $group"
done
for each in $groups; do kill -s KILL -- "-$each"; done`;

export function createReaper(): Reaper {
  let shell: ChildProcess | null = null;
  let holders = 0;

  const start = (): ChildProcess => {
    const started = spawn("/bin/sh", ["-c", script], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Without it programs run all the same.
    started.on("error", () => {});
    started.stdin?.on("error", () => {});
    return started;
  };

  return {
    hold() {
      holders++;
      shell ??= start();
      const { stdin } = shell;
      let watched: number | null = null;
      return {
        watch(group) {
          watched = group;
          stdin?.write(`watch ${group}\n`);
        },
        letGo() {
          if (watched !== null) stdin?.write(`drop ${watched}\n`);
          if (--holders > 0) return;
          stdin?.end();
          shell = null;
        },
      };
    },
  };
}
