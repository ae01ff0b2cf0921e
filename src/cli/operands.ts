import { readHttpBindings, responseBodyOf } from "connect-transcoding/rules";
import { type Failure, fail, ok, type Result } from "../result.js";
import type { ToolCommand } from "./command.js";
import { placeholderOf } from "./derive-commands.js";
import { STANDARD_INPUT } from "./read-inputs.js";

/** What a command is to answer about. */
export type Operands =
  /** Nothing that an argument could say. */
  | { readonly kind: "none" }
  | { readonly kind: "one"; readonly text: string }
  /** All of standard input is one text. */
  | { readonly kind: "whole_input" }
  /** Each is one, or stands for the lines of standard input. */
  | { readonly kind: "many"; readonly operands: readonly string[] };

/**
 * Reads the arguments of a command that belong to no flag. One is one input; several, and standard input, are many, even if
 * they turn out to be few. A command whose answer is an image or the like takes one text, as long as it may be.
 */
export function readOperands(
  command: ToolCommand,
  given: readonly string[],
  isTerminal: boolean,
): Result<Operands, Failure<"USAGE">> {
  const { operand, withoutOperand } = command;
  if (operand === undefined) {
    return given.length === 0 ? ok({ kind: "none" }) : fail("USAGE", "takes no argument");
  }
  const name = placeholderOf(operand);
  if (given.length === 0 && withoutOperand !== undefined) {
    return ok({ kind: "none" });
  }
  if (given.length === 0 && isTerminal) {
    return fail("USAGE", `needs ${name}, as an argument or on standard input`);
  }
  if (given.filter((each) => each === STANDARD_INPUT).length > 1) {
    return fail("USAGE", "standard input can be read once");
  }
  const all = given.length === 0 ? [STANDARD_INPUT] : given;
  const [only = ""] = all;
  if (answersWithOctets(command)) {
    return all.length > 1
      ? fail("USAGE", `takes one ${name}`)
      : ok(only === STANDARD_INPUT ? { kind: "whole_input" } : { kind: "one", text: only });
  }
  return ok(
    all.length === 1 && only !== STANDARD_INPUT
      ? { kind: "one", text: only }
      : { kind: "many", operands: all },
  );
}

/** Whether the answer of a command is an image or the like, which is written as it is. */
export function answersWithOctets({ method }: ToolCommand): boolean {
  const [binding = { method, responseBody: undefined }] = readHttpBindings(method);
  return responseBodyOf(binding).kind === "bytes";
}
