import { type CompletedCommand, nextWords, pathsOf, quoted } from "./completion-words.js";

/**
 * Writes the completion for bash: a function that first finds the words of the command, then offers the words that can
 * follow, the values of the flag before, or flags.
 * https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html
 */
export function completeBash(commands: readonly CompletedCommand[]): string {
  const paths = pathsOf(commands);
  const flagValues = commands.flatMap(({ name, flags }) =>
    flags.flatMap(({ name: flag, choices, isPath, placeholder }) => {
      const pattern = quoted(`${name}:${flag}`);
      if (choices !== undefined) {
        return [`    ${pattern}) choices=${quoted(choices.join(" "))} ;;`];
      }
      if (isPath) {
        return [`    ${pattern}) COMPREPLY=($(compgen -f -- "$current")); return ;;`];
      }
      return placeholder === undefined ? [] : [`    ${pattern}) return ;;`];
    }),
  );
  const words = ["", ...paths].map((path) => {
    const command = commands.find(({ name }) => name === path);
    const following = nextWords(commands, path).map(({ word }) => word);
    const flags = command?.flags.map(({ name }) => name) ?? ["--help", "--version"];
    const operands = command?.operands ?? [];
    return `    ${quoted(path)}) words=${quoted([...following, ...operands].join(" "))} flags=${quoted(flags.join(" "))} ;;`;
  });
  return `# Completion of utility-tools for bash: source <(utility-tools completion bash)
_utility_tools() {
  # A value behind "=" is a word of its own here, and "=" is another.
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  # Behind what is no word of a command nothing but flags and their values can follow.
  local path='' index word words='' flags='' choices='' behind=''
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' && COMP_CWORD -gt 1 ]]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "\${path:+$path }$word" in
    ${paths.map(quoted).join(" | ")}) path="\${path:+$path }$word" ;;
    *) behind=1; break ;;
    esac
  done
  COMPREPLY=()
  case "$path:$previous" in
${flagValues.join("\n")}
  esac
  if [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
    return
  fi
  case "$path" in
${words.join("\n")}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -z $behind ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _utility_tools utility-tools
`;
}
