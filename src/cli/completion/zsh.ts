// The completion for zsh: a file _rouse in a folder of $fpath, or sourced.
import { choicesOf, fileOptions, type Node, valuedOptions, type Word } from "./tree.ts";

/** `at` is the chain of words so far, `option` the option whose value is being written. */
export const zshScript = (nodes: readonly Node[]): string => `#compdef rouse
# Completion of rouse for zsh. Written by: rouse completion zsh
_rouse() {
  local current=$words[CURRENT] at='' option='' plain='' other='' word next
  local -a commands flags
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $option ]]; then
      option=''
    elif [[ -z $plain && $word == -- ]]; then
      plain=yes
    elif [[ -z $plain && $word == -* ]]; then
      case $word in
        (${valuedOptions(nodes).join("|")}) option=$word ;;
      esac
    elif [[ -z $other ]]; then
      next="\${at:+$at }$word"
      case $next in
        (${nodes
          .filter(({ path }) => path !== "")
          .map(({ path }) => `'${path}'`)
          .join("|")}) at=$next ;;
        (*) other=yes ;;
      esac
    fi
  done
  if [[ -z $option && -z $plain && $current == --*=* ]]; then
    option=\${current%%=*}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    case "$at $option" in
${choicesOf(nodes)
  .map(({ path, option, values }) => `      ('${path} ${option}') compadd -- ${values.join(" ")} ;;`)
  .join("\n")}
      (${fileOptions(nodes)
        .map((option) => `*' ${option}'`)
        .join("|")}) _files ;;
    esac
    return
  fi
  case $at in
${nodes.map(nodeCase).join("\n")}
  esac
  if [[ -z $plain && $current == -* ]]; then
    _describe -o option flags
  elif [[ -z $other ]] && (($#commands)); then
    _describe word commands
  fi
}
if [[ $funcstack[1] == _rouse ]]; then
  _rouse "$@"
else
  compdef _rouse rouse
fi
`;

const nodeCase = ({ path, words, options }: Node): string => `    ('${path}')
      commands=(${words.map(described).join(" ")})
      flags=(${options.map(described).join(" ")})
      ;;`;

const described = ({ word, description }: Word): string =>
  `'${word}${description === null ? "" : `:${description.replaceAll("'", "'\\''")}`}'`;
