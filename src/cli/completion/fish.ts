// The completion for fish.
import { type Node, type Option, valuedOptions, type Word } from "./tree.ts";

/** `__rouse_at` prints the chain of words so far, and a dot behind it when other words have come. */
export const fishScript = (
  nodes: readonly Node[],
): string => `# Completion of rouse for fish. Written by: rouse completion fish
function __rouse_at
    set -l at
    set -l option
    set -l plain
    for word in (commandline -opc)[2..-1]
        if set -q option[1]
            set -e option
        else if test -z "$plain" -a "$word" = --
            set plain yes
        else if test -z "$plain"; and string match -q -- '-*' $word
            contains -- $word ${valuedOptions(nodes).join(" ")}
            and set option $word
        else
            set -l next (string join ' ' $at $word)
            switch $next
                case ${nodes
                  .filter(({ path }) => path !== "")
                  .map(({ path }) => `'${path}'`)
                  .join(" ")}
                    set at $next
                case '*'
                    echo "$at ."
                    return
            end
        end
    end
    echo "$at"
end
function __rouse_next
    test (__rouse_at) = "$argv"
end
function __rouse_in
    string match -q -r -- "^$argv"'( \\.)?$' (__rouse_at)
end
complete -c rouse -e
complete -c rouse -f
${nodes.flatMap(linesOf).join("\n")}
`;

const linesOf = ({ path, words, options }: Node): string[] => [
  ...words.map((each) => `complete -c rouse -n '__rouse_next ${path}' -a ${each.word}${described(each)}`),
  ...options.map(
    (each) =>
      `complete -c rouse -n '__rouse_in ${path}' -l ${each.word.slice(2)}${valueWords(each)}${described(each)}`,
  ),
];

function valueWords({ value }: Option): string {
  if (value === null) return "";
  if (value === "file") return " -r -F";
  return value === "free" ? " -x" : ` -x -a '${value.join(" ")}'`;
}

const described = ({ description }: Word): string =>
  description === null ? "" : ` -d '${description.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
