// Ends the programs of a gateway that was killed. They run in groups of their own and would outlive it; the next
// gateway would start the same run while the old program still works on it.
//
// A small shell holds the other end of a pipe and knows the groups that run. The pipe closes however the gateway ends,
// and then the shell kills those groups. It runs only while something is held.
import { type ChildProcess, spawn } from "node:child_process";

export type Hold = { add(group: number): void; release(): void };
export type Reaper = {
  /** Called before a program is started, so that the shell is there first. */
  hold(): Hold;
};

const script = `trap '' TERM INT HUP
groups=
while read -r word group; do
  rest=
  for each in $groups; do [ "$each" = "$group" ] || rest="$rest $each"; done
  groups=$rest
  [ "$word" = add ] && groups="$groups $group"
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
    // Programs run without the shell too.
    started.on("error", () => {});
    started.stdin?.on("error", () => {});
    return started;
  };

  return {
    hold() {
      holders++;
      shell ??= start();
      const { stdin } = shell;
      let added: number | null = null;
      return {
        add(group) {
          added = group;
          stdin?.write(`add ${group}\n`);
        },
        release() {
          if (added !== null) stdin?.write(`drop ${added}\n`);
          if (--holders > 0) return;
          stdin?.end();
          shell = null;
        },
      };
    },
  };
}
