/** The flags of every command for its help. */
export const HELP_FLAGS = "-h, --help";

/** The flags of every command for the version. */
export const VERSION_FLAGS = "-v, --version";

/** The flags of many commands, which the help of the program explains in place of theirs: at most 54 columns each. */
export const COMMON_FLAGS = [
  ["-f, --file <FILE>", "read this file; - is standard input"],
  ["-o, --output <FILE>", "write to this file"],
  ["--json", "write JSON, one line per input"],
  ["--csv", "read and write CSV with a header"],
  ["--column <NAME>", "the column of the CSV with the inputs"],
  ["--fields <NAMES>", "write these fields, such as country,city,error"],
  ["--all", "show all fields on a terminal, not only the main ones"],
  ["--all-errors", "write each error, also equal ones"],
  ["--no-progress", "show no progress"],
  ["--url <URL>", "let this service compute. Also UTILITY_TOOLS_URL"],
  ["--api-key-file <FILE>", "its API key, in a file. Also UTILITY_TOOLS_API_KEY"],
  ["--api-key <KEY>", "its API key, which other users can see"],
  ["--timeout <DURATION>", "the timeout of a call, such as 500ms. Default: 10s"],
] as const;

/** Whether an argument can precede a command: a common flag, with or without its value, or `--`. */
export function canPrecedeCommand(arg: string): boolean {
  return arg === "--" || commonFlag(arg) !== undefined;
}

function commonFlag(arg: string): string | undefined {
  const [name = ""] = arg.split("=", 1);
  return COMMON_FLAGS.map(([flag]) => flag).find((flag) => flag.split(/,? /).includes(name));
}

/** Moves the common flags before a command behind it: `--json 8.8.8.8` is `8.8.8.8 --json`. */
export function withFlagsLast(args: readonly string[]): readonly string[] {
  let start = 0;
  for (let arg = args[0]; arg !== undefined && canPrecedeCommand(arg); arg = args[start]) {
    start += commonFlag(arg)?.endsWith(">") && !arg.includes("=") ? 2 : 1;
  }
  const rest = args.slice(start);
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length;
  return rest.length === 0 ? args : [...rest.slice(0, end), ...args.slice(0, start), ...rest.slice(end)];
}
