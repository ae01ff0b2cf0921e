import type { CommandDefinition, FlagDefinition, ProgramDefinition } from "./describe-program.js";

/** The shells for which there is a script. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** Returns the script that completes commands, flags and values in a shell. It does not run the program. */
export function completionScript(shell: (typeof SHELLS)[number], program: ProgramDefinition): string {
  return { bash, zsh, fish }[shell](program);
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
  readonly flags: readonly FlagDefinition[];
}

/** Placeholders of values that are paths. */
const PATHS: ReadonlySet<string> = new Set(["FILE", "FILES", "FOLDER"]);

/** Returns the program, its groups and its commands, each with what can follow. */
function positionsIn({ commands, flags }: ProgramDefinition): Position[] {
  const groups = commands.flatMap(({ name }) => prefixesOf(name));
  const paths = [...new Set(["", ...groups, ...commands.map(({ name }) => name)])];
  return paths.map((path) => {
    const command = commands.find(({ name }) => name === path);
    return {
      path,
      commands: wordsAfter(path, commands),
      operands: command?.operands.flatMap(({ choices }) => choices) ?? [],
      flags: command?.flags ?? flags,
    };
  });
}

/** The words before the last: `otp` of `otp generate`. */
function prefixesOf(name: string): string[] {
  const words = name.split(" ");
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join(" "));
}

function wordsAfter(path: string, commands: readonly CommandDefinition[]): Word[] {
  const words = new Map<string, string>();
  for (const { name, summary } of commands) {
    if (path === "" || name.startsWith(`${path} `)) {
      const [word = "", ...more] = name.slice(path === "" ? 0 : path.length + 1).split(" ");
      words.set(word, more.length === 0 ? summary : (words.get(word) ?? `${word} commands`));
    }
  }
  return [...words].map(([word, meaning]) => ({ word, meaning }));
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

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
): string[] {
  const byFlag = new Map<string, string[]>();
  for (const { path, flags } of positions) {
    for (const { names, value, choices } of flags) {
      if (value !== undefined) {
        const code = choices.length > 0 ? completeWords(choices) : PATHS.has(value) ? completePaths : ":";
        byFlag.set(code, [...(byFlag.get(code) ?? []), ...names.map((name) => quoted(`${path} ${name}`))]);
      }
    }
  }
  return [...byFlag].map(([code, patterns]) => `    ${patterns.join("|")}) ${code}; return ;;`);
}

function bash(program: ProgramDefinition): string {
  const positions = positionsIn(program);
  const branches = positions.map(({ path, commands, operands, flags }) => {
    const words = [...commands.map(({ word }) => word), ...operands].join(" ");
    return `    ${quoted(path)}) words=${quoted(words)} flags=${quoted(flags.flatMap(({ names }) => names).join(" "))} ;;`;
  });
  return `# bash completion of utility-tools
_utility_tools() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} cmd= words= flags= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$cmd \${COMP_WORDS[i]}" in
      ${extensionPatterns(positions)}) cmd="\${cmd:+$cmd }\${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$cmd $prev" in
${valueBranches(positions, (words) => `COMPREPLY=($(compgen -W ${quoted(words.join(" "))} -- "$cur"))`, `compopt -o default`).join("\n")}
  esac
  case "$cmd" in
${branches.join("\n")}
  esac
  [[ $cur == -* ]] && words=$flags
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _utility_tools utility-tools
`;
}

function zsh(program: ProgramDefinition): string {
  const positions = positionsIn(program);
  const described = ({ word, meaning }: Word): string => quoted(`${word}:${brief(meaning)}`);
  const branches = positions.map(({ path, commands, operands, flags }) => {
    const words = [...commands, ...operands.map((word) => ({ word, meaning: "" }))].map(described);
    const options = flags.flatMap(({ names, description }) =>
      names.map((word) => described({ word, meaning: description })),
    );
    return `    ${quoted(path)}) words_=(${words.join(" ")}) flags=(${options.join(" ")}) ;;`;
  });
  return `#compdef utility-tools
_utility_tools() {
  local cmd= i
  local -a words_ flags
  for ((i = 2; i < CURRENT; i++)); do
    case "$cmd $words[i]" in
      ${extensionPatterns(positions)}) cmd="\${cmd:+$cmd }$words[i]" ;;
    esac
  done
  case "$cmd $words[CURRENT-1]" in
${valueBranches(positions, (words) => `compadd -- ${words.map(quoted).join(" ")}`, "_files").join("\n")}
  esac
  case "$cmd" in
${branches.join("\n")}
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
  compdef _utility_tools utility-tools
fi
`;
}

function fish(program: ProgramDefinition): string {
  const positions = positionsIn(program);
  const fishQuoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = positions.flatMap(({ path, commands, operands, flags }) => {
    const start = `complete -c utility-tools -n ${fishQuoted(`__utility_tools_at ${fishQuoted(path)}`)}`;
    return [
      ...commands.map(
        ({ word, meaning }) => `${start} -a ${fishQuoted(word)} -d ${fishQuoted(brief(meaning))}`,
      ),
      ...(operands.length === 0 ? [] : [`${start} -a ${fishQuoted(operands.join(" "))}`]),
      ...flags.map(({ names, value, choices, description }) => {
        const flag = names.map((name) =>
          name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const takes =
          value === undefined
            ? []
            : choices.length > 0
              ? ["-x", "-a", fishQuoted(choices.join(" "))]
              : [PATHS.has(value) ? "-rF" : "-x"];
        return [start, ...flag, ...takes, "-d", fishQuoted(brief(description))].join(" ");
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
${lines.join("\n")}
`;
}
