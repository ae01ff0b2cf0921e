import { InvalidArgumentError, Option } from "commander";
import { HELP_FLAGS, VERSION_FLAGS } from "../program-flags.js";

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

/** Whether the help of a command leaves out a flag, because that of the program has it. */
export function isCommon({ flags, description }: Option): boolean {
  return (
    [HELP_FLAGS, VERSION_FLAGS].includes(flags) ||
    COMMON_FLAGS.some((each) => each[0] === flags && each[1] === description)
  );
}

/** Creates a flag. A second value is an error: one of the two would silently be ignored. */
export function createFlag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.required ? option.argParser(onlyOnce) : option;
}

function onlyOnce(value: string, earlier: string | undefined): string {
  if (earlier !== undefined) {
    throw new InvalidArgumentError("The flag must not be given more than once.");
  }
  return value;
}
