import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { placeholderOf, type ToolCommand, takesSecret } from "../commands.js";
import { addressesOf } from "./address-arguments.js";
import { findingOf } from "./finder.js";

/** The operand that stands for standard input. */
export const STANDARD_INPUT = "-";

/** The inputs of a command. */
export type Operands =
  /** The command takes no input. */
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly text: string }
  /** The user is asked for one input, a secret. */
  | { readonly kind: "ask" }
  /** The input as a whole is one text. Only a file may have several lines. */
  | { readonly kind: "whole_input"; readonly isFile: boolean }
  /** Each operand is one input, or stands for the lines of the input. */
  | { readonly kind: "many"; readonly operands: readonly string[] };

export interface OperandOptions {
  /** Whether standard input is a terminal. */
  readonly isTerminal: boolean;
  /** The value of `--file`. */
  readonly file: string | undefined;
  /** Whether rows of CSV are read and written. */
  readonly isCsv: boolean;
  /** An example of the command, for errors. */
  readonly example: string;
}

/**
 * Reads the operands of a command. One operand is one input. Several operands, standard input and files are many inputs, even if
 * there turns out to be only one. A command that returns an image takes a single text of any length.
 */
export function readOperands(
  command: ToolCommand,
  given: readonly string[],
  { isTerminal, file, isCsv, example }: OperandOptions,
): Result<Operands, Failure<"USAGE">> {
  const { operand } = command;
  if (file !== undefined && given.length > 0) {
    const others = operand === undefined ? "arguments" : placeholderOf(operand);
    return fail("USAGE", `${fileFlag(command)} must not be given together with ${others}`);
  }
  if (operand === undefined) {
    return ok({ kind: "none" });
  }
  if (given.length === 0 && file === undefined && isTerminal) {
    return takesSecret(command)
      ? ok({ kind: "ask" })
      : fail(
          "USAGE",
          `needs ${placeholderOf(operand)}, as in '${example}', or ${fileFlag(command)} FILE, or standard input`,
        );
  }
  const streams = given.filter((each) => each === STANDARD_INPUT).length;
  if (streams > 1) {
    return fail("USAGE", "standard input can be read once");
  }
  if (isCsv && streams > 0 && given.length > 1) {
    return fail("USAGE", "with --csv, standard input must not be read together with arguments");
  }
  const texts = findingOf(command) === "always" ? given.flatMap(addressesOf) : given;
  const all = texts.length === 0 ? [STANDARD_INPUT] : texts;
  const [only = ""] = all;
  if (all.length === 1 && only !== STANDARD_INPUT && !isCsv) {
    return ok({ kind: "one", text: only });
  }
  return ok(
    command.returnsBytes
      ? { kind: "whole_input", isFile: file !== undefined }
      : { kind: "many", operands: all },
  );
}

/** The flag that names a file with inputs. A file with secrets has a flag whose name says so. */
export function fileFlag(command: ToolCommand): string {
  return takesSecret(command) ? "--secret-file" : "--file";
}
