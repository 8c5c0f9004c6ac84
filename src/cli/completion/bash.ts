// The completion for bash. It wants nothing but bash 3.2, which macOS has; the package bash-completion is not needed.
import { choicesOf, fileOptions, type Node, valuedOptions, wordOf } from "./tree.ts";

/**
 * `at` is the chain of words so far, `option` the option whose value is being written. Bash cuts words at `=` and `:`;
 * what follows such a sign belongs to the word before it.
 */
export const bashScript = (
  nodes: readonly Node[],
): string => `# Completion of rouse for bash. Written by: rouse completion bash
_rouse() {
  local current=\${COMP_WORDS[COMP_CWORD]} at='' option='' plain='' other='' glued='' words='' options='' word next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = || $word == : ]]; then
      [[ $option ]] || glued=yes
    elif [[ $glued ]]; then
      glued=''
    elif [[ $option ]]; then
      option=''
    elif [[ ! $plain && $word == -- ]]; then
      plain=yes
    elif [[ ! $plain && $word == -* ]]; then
      case $word in
        ${valuedOptions(nodes).join(" | ")}) option=$word ;;
      esac
    elif [[ ! $other ]]; then
      next="\${at:+$at }$word"
      case $next in
        ${nodes
          .filter(({ path }) => path !== "")
          .map(({ path }) => `'${path}'`)
          .join(" | ")}) at=$next ;;
        *) other=yes ;;
      esac
    fi
  done
  [[ $current == = || $current == : ]] && current=''
  COMPREPLY=()
  case $at in
${nodes.map(nodeCase).join("\n")}
  esac
  if [[ $option ]]; then
    words=''
    case "$at $option" in
${choicesOf(nodes)
  .map(({ path, option, values }) => `      '${path} ${option}') words='${values.join(" ")}' ;;`)
  .join("\n")}
      ${fileOptions(nodes)
        .map((option) => `*' ${option}'`)
        .join(" | ")})
        # Before bash 4, files are proposed wherever nothing else is.
        [[ $BASH_VERSINFO -ge 4 ]] && compopt -o default 2>/dev/null
        return
        ;;
    esac
  elif [[ ! $plain && $current == -* ]]; then
    words=$options
  elif [[ $other || $glued ]]; then
    words=''
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
if [[ $BASH_VERSINFO -ge 4 ]]; then
  complete -F _rouse rouse
else
  complete -o default -F _rouse rouse
fi
`;

const nodeCase = ({ path, words, options }: Node): string =>
  `    '${path}') words='${words.map(wordOf).join(" ")}' options='${options.map(wordOf).join(" ")}' ;;`;
