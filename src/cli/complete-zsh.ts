import { type CompletedCommand, nextWords, pathsOf, quoted } from "./completion-words.js";

/**
 * Writes the completion for zsh: the words that can follow are described, flags go to \`_arguments\`.
 * https://zsh.sourceforge.io/Doc/Release/Completion-System.html
 */
export function completeZsh(commands: readonly CompletedCommand[]): string {
  const cases = ["", ...pathsOf(commands)].map((path) => {
    const command = commands.find(({ name }) => name === path);
    const words = nextWords(commands, path).map(({ word, summary }) => quoted(`${word}:${summary}`));
    const flags = (command?.flags ?? []).flatMap(({ name, short, placeholder, meaning, choices, isPath }) => {
      const says = `[${(meaning.split(". ")[0] ?? "").replaceAll(/[[\]\\:]/g, "\\$&")}]`;
      const values = choices === undefined ? (isPath ? "_files" : "") : `(${choices.join(" ")})`;
      const value = placeholder === undefined ? "" : `:${placeholder}:${values}`;
      const long = quoted(`${name}${value === "" ? "" : "="}${says}${value}`);
      return short === undefined ? [long] : [long, quoted(`${short}${says}`)];
    });
    const operands = (command?.operands ?? []).length === 0 ? "" : `(${command?.operands.join(" ")})`;
    const described =
      words.length === 0
        ? ""
        : `\n      following=(${words.join(" ")}); (( CURRENT == depth )) && _describe command following`;
    const given = `\n      _arguments -s ${[...flags, quoted(`*:argument:${operands}`)].join(" ")}`;
    return `    ${quoted(path)})${described}${command === undefined ? "" : given} ;;`;
  });
  return `#compdef utility-tools
# Completion of utility-tools for zsh: source <(utility-tools completion zsh), behind compinit
_utility_tools() {
  local word longer command_path=''
  local -i depth=2
  local -a following
  for word in "\${(@)words[2,CURRENT - 1]}"; do
    longer="\${command_path:+$command_path }$word"
    case $longer in
    ${pathsOf(commands)
      .map((path) => quoted(path))
      .join(" | ")}) command_path=$longer; (( depth++ )) ;;
    *) break ;;
    esac
  done
  case $command_path in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = _utility_tools ]; then
  _utility_tools "$@"
else
  compdef _utility_tools utility-tools
fi
`;
}
