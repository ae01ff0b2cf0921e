import { type CompletedCommand, nextWords, pathsOf, quoted } from "./completion-words.js";

/**
 * Writes the completion for fish: one line for each word and each flag, with the condition under which it is offered.
 * https://fishshell.com/docs/current/completions.html
 */
export function completeFish(commands: readonly CompletedCommand[]): string {
  const lines = ["", ...pathsOf(commands)].flatMap((path) => {
    const condition = `-n ${quoted(`__utility_tools_at ${quoted(path)}`)}`;
    const command = commands.find(({ name }) => name === path);
    const words = nextWords(commands, path).map(
      ({ word, summary }) => `complete -c utility-tools -f ${condition} -a ${fish(word)} -d ${fish(summary)}`,
    );
    const operands = (command?.operands ?? []).map(
      (word) => `complete -c utility-tools -f ${condition} -a ${fish(word)}`,
    );
    const flags = (command?.flags ?? []).map(({ name, short, placeholder, meaning, choices, isPath }) =>
      [
        `complete -c utility-tools ${condition} -l ${name.slice(2)}`,
        short === undefined ? "" : `-s ${short.slice(1)}`,
        placeholder === undefined ? "" : isPath ? "-r -F" : "-x",
        choices === undefined ? "" : `-a ${fish(choices.join(" "))}`,
        `-d ${fish(meaning.split(". ")[0] ?? "")}`,
      ]
        .filter((part) => part !== "")
        .join(" "),
    );
    return [...words, ...operands, ...flags];
  });
  return `# Completion of utility-tools for fish: utility-tools completion fish | source
function __utility_tools_at
    set -l path ''
    for word in (commandline -opc)[2..-1]
        set -l longer (string trim -- "$path $word")
        contains -- $longer ${pathsOf(commands).map(quoted).join(" ")}; or break
        set path $longer
    end
    test "$path" = "$argv[1]"
end
complete -c utility-tools -f
${lines.join("\n")}
`;
}

/** A text in single quotes, in which fish knows the backslash. */
function fish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
