import type { Command, Option } from "commander";
import { COMMON_FLAGS } from "../../program-flags.js";
import { createFlag } from "../common-flags.js";
import { prefixes } from "../output/columns.js";
import { flagsOf, fullName, namesOf, placeholderIn, quoted } from "../root.js";

/** The shells for which there is a script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/**
 * Returns the script that completes commands, flags and values in a shell. It does not run the program.
 *
 * @param commands those that can be run
 */
export function completionScript(
  shell: (typeof SHELLS)[number],
  root: Command,
  commands: readonly Command[],
): string {
  return { bash, zsh, fish }[shell](positionsIn(root, commands));
}

/** A word that can follow, and what it means. */
interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** What can follow the words of a command. */
interface Position {
  /** The words before; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly operands: readonly string[];
  readonly flags: readonly Option[];
}

/** Placeholders of values that are paths. */
const PATHS: ReadonlySet<string> = new Set(["FILE", "FILES", "FOLDER"]);

/** Returns the program, its groups and its commands, each with what can follow. */
function positionsIn(root: Command, commands: readonly Command[]): Position[] {
  const names = commands.map(fullName);
  // A group precedes the commands in it, and those follow in the order of the help.
  const groups = names.flatMap((name) => prefixes(name, " ").slice(0, -1));
  const paths = [...new Set(["", ...groups, ...names])];
  // An input, which has no command before it, and flags before a command.
  const commonFlags = COMMON_FLAGS.map(([flag, meaning]) => createFlag(flag, meaning));
  return paths.map((path) => {
    const command = commands[names.indexOf(path)];
    return {
      path,
      commands: wordsAfter(path, commands),
      operands: command?.registeredArguments.flatMap(({ argChoices = [] }) => argChoices) ?? [],
      flags: path === "" ? [...flagsOf(root), ...commonFlags] : flagsOf(command ?? root),
    };
  });
}

function wordsAfter(path: string, commands: readonly Command[]): Word[] {
  const words = new Map<string, string>();
  for (const command of commands) {
    const name = fullName(command);
    if (path === "" || name.startsWith(`${path} `)) {
      const [word = "", ...more] = name.slice(path === "" ? 0 : path.length + 1).split(" ");
      words.set(word, more.length === 0 ? command.summary() : (words.get(word) ?? `${word} commands`));
    }
  }
  return [...words].map(([word, meaning]) => ({ word, meaning }));
}

/** The first line of a description, without the notes in parentheses. */
const brief = (text: string): string =>
  text.replace(/ \((?:choices|default|required).*$/s, "").split(/\.\s/)[0] ?? "";

/** The branches of `case "$command $word"` that extend the command by a word. */
function extensionPatterns(positions: readonly Position[]): string {
  return positions
    .filter(({ path }) => path !== "")
    .map(({ path }) => `'${path.includes(" ") ? path : ` ${path}`}'`)
    .join("|");
}

/** The branches of `case "$command $previous"` for the value of a flag, with the code that completes it. */
function valueBranches(
  positions: readonly Position[],
  completeWords: (words: readonly string[]) => string,
  completePaths: string,
): string {
  const byFlag = new Map<string, string[]>();
  for (const { path, flags } of positions) {
    for (const flag of flags) {
      const value = placeholderIn(flag);
      if (value !== undefined) {
        const code = flag.argChoices
          ? completeWords(flag.argChoices)
          : PATHS.has(value)
            ? completePaths
            : ":";
        const patterns = namesOf(flag).map((name) => quoted(`${path} ${name}`));
        byFlag.set(code, [...(byFlag.get(code) ?? []), ...patterns]);
      }
    }
  }
  return [...byFlag].map(([code, patterns]) => `    ${patterns.join("|")}) ${code}; return ;;`).join("\n");
}

/** The branches of `case "$cmd"` that set the words and the flags which can follow. */
function positionBranches(
  positions: readonly Position[],
  variable: string,
  format: (words: readonly Word[]) => string,
): string {
  return positions
    .map(({ path, commands, operands, flags }) => {
      const words = [...commands, ...operands.map((word) => ({ word, meaning: "" }))];
      const names = flags.flatMap((flag) =>
        namesOf(flag).map((word) => ({ word, meaning: flag.description })),
      );
      return `    ${quoted(path)}) ${variable}=${format(words)} flags=${format(names)} ;;`;
    })
    .join("\n");
}

function bash(positions: readonly Position[]): string {
  const format = (words: readonly Word[]) => quoted(words.map(({ word }) => word).join(" "));
  return `# bash completion of utility-tools
_utility_tools() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} cmd= words= flags= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$cmd \${COMP_WORDS[i]}" in
      ${extensionPatterns(positions)}) cmd="\${cmd:+$cmd }\${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  # Bash splits --flag=value into three words.
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD - 2]}
  [[ $cur == = ]] && cur=
  # A value can be words that commas join.
  local before=\${cur%"\${cur##*,}"}
  case "$cmd $prev" in
${valueBranches(positions, (words) => `COMPREPLY=($(compgen -P "$before" -W ${quoted(words.join(" "))} -- "\${cur##*,}"))`, "compopt -o default")}
  esac
  case "$cmd" in
${positionBranches(positions, "words", format)}
  esac
  [[ $cur == -* ]] && words=$flags
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _utility_tools utility-tools ut
`;
}

function zsh(positions: readonly Position[]): string {
  const format = (words: readonly Word[]) =>
    `(${words.map(({ word, meaning }) => quoted(`${word}:${brief(meaning)}`)).join(" ")})`;
  return `#compdef utility-tools ut
_utility_tools() {
  local cmd= i
  local -a words_ flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$cmd $words[i]" in
      ${extensionPatterns(positions)}) cmd="\${cmd:+$cmd }$words[i]" ;;
    esac
  done
  local previous=$words[CURRENT-1]
  if [[ $PREFIX == --*=* ]]; then
    previous=\${PREFIX%%=*}
    compset -P '*='
  fi
  case "$cmd $previous" in
${valueBranches(positions, (words) => `compset -P '*,'; compadd -- ${words.map(quoted).join(" ")}`, "_files")}
  esac
  case "$cmd" in
${positionBranches(positions, "words_", format)}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe option flags
  else
    _describe command words_
  fi
}
# Also works where the file is sourced.
if [[ $funcstack[1] == _utility_tools ]]; then
  _utility_tools "$@"
else
  compdef _utility_tools utility-tools ut
fi
`;
}

function fish(positions: readonly Position[]): string {
  const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = positions.flatMap(({ path, commands, operands, flags }) => {
    const start = `complete -c utility-tools -n ${fishQuoted(`__utility_tools_at ${fishQuoted(path)}`)}`;
    return [
      ...commands.map(
        ({ word, meaning }) => `${start} -a ${fishQuoted(word)} -d ${fishQuoted(brief(meaning))}`,
      ),
      ...(operands.length === 0 ? [] : [`${start} -a ${fishQuoted(operands.join(" "))}`]),
      ...flags.map((flag) => {
        const value = placeholderIn(flag);
        const names = namesOf(flag).map((name) =>
          name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const takes =
          value === undefined
            ? []
            : flag.argChoices
              ? ["-x", "-a", fishQuoted(`(__fish_append , ${flag.argChoices.join(" ")})`)]
              : [PATHS.has(value) ? "-rF" : "-x"];
        return [start, ...names, ...takes, "-d", fishQuoted(brief(flag.description))].join(" ");
      }),
    ];
  });
  const paths = positions.filter(({ path }) => path !== "").map(({ path }) => fishQuoted(path));
  return `# fish completion of utility-tools
function __utility_tools_at
    set -l cmd ""
    for word in (commandline -opc)[2..]
        contains -- (string trim "$cmd $word") ${paths.join(" ")}; and set cmd (string trim "$cmd $word")
    end
    test "$cmd" = "$argv[1]"
end
complete -c utility-tools -f
complete -c ut -w utility-tools
${lines.join("\n")}
`;
}
