import { InvalidArgumentError, Option } from "commander";
import { COMMON_FLAGS, HELP_FLAGS, VERSION_FLAGS } from "../program-flags.js";

/** Whether the help of a command leaves out a flag, because that of the program has it. */
export function isCommon({ flags, description }: Option): boolean {
  return (
    [HELP_FLAGS, VERSION_FLAGS].includes(flags) ||
    COMMON_FLAGS.some((each) => each[0] === flags && each[1] === description)
  );
}

/**
 * Creates a flag. A second value is an error: one of the two would silently be ignored. So is an empty one, which is often that of a
 * variable that is not set.
 *
 * @param choices the values that shells complete. They are checked with the other arguments
 */
export function createFlag(flags: string, description: string, choices?: readonly string[]): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) {
    option.argChoices = [...choices];
  }
  return option.required ? option.argParser(onlyOnce) : option;
}

function onlyOnce(value: string, earlier: string | undefined): string {
  if (earlier !== undefined) {
    throw new InvalidArgumentError("The flag must not be given more than once.");
  }
  if (value === "") {
    throw new InvalidArgumentError("The value must not be empty.");
  }
  return value;
}
