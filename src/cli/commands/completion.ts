// `rouse completion`: prints a script with which the shell completes commands, options and values.
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { type Node, treeOf } from "../completion/tree.ts";
import { zshScript } from "../completion/zsh.ts";
import { type Command, type Context, oneOf, WrongUsage } from "../command.ts";
import { configFlag, readArguments, refuseMore } from "../terminal/arguments.ts";

const scripts: Readonly<Record<string, (nodes: readonly Node[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `loadAll` loads every command: the script is made from their tables. */
async function run(context: Context, loadAll: () => Promise<Command[]>): Promise<number> {
  const { positionals } = readArguments(context, configFlag);
  const [shell] = positionals;
  refuseMore(positionals, 1);
  if (shell === undefined) throw new WrongUsage("Name the shell: completion bash, zsh or fish");
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw new WrongUsage(`There is no completion for "${shell}": bash, zsh and fish have one.`);
  context.stdout.write(script(treeOf(await loadAll())));
  return 0;
}

export const completionCommand = (loadAll: () => Promise<Command[]>): Command => ({
  name: "completion",
  summary: "print a script that completes commands in bash, zsh or fish",
  help: `Usage: rouse completion bash|zsh|fish

Prints a script for your shell, which then completes commands, verbs, options, and values that are
one of a few. It is made from this version's own tables: one that is loaded at the start of the shell
is always right; one that is kept in a file wants to be written again after an upgrade.

  bash    in ~/.bashrc:                   eval "$(rouse completion bash)"
  zsh     in ~/.zshrc, after compinit:    eval "$(rouse completion zsh)"
  fish    in ~/.config/fish/config.fish:  rouse completion fish | source

To keep it in a file, which starts the shell faster:
  bash    rouse completion bash > ~/.local/share/bash-completion/completions/rouse
          (needs the package bash-completion)
  zsh     rouse completion zsh > FOLDER/_rouse, where FOLDER is one of $fpath
  fish    rouse completion fish > ~/.config/fish/completions/rouse.fish

Options:
  --config FILE  taken as by every command; the script is the same

Examples:
  rouse completion bash
  rouse completion fish | source`,
  syntax: { options: configFlag, words: oneOf(Object.keys(scripts), configFlag) },
  run: (context) => run(context, loadAll),
});
