import { type Failure, fail, ok, type Result } from "../../result.js";
import { readCommandLine } from "./command-line.js";
import { operandProblem } from "./commands.js";
import type { Config } from "./config.js";
import { type Environment, readConfig } from "./read-config.js";

/** What the program is to do. */
export type Invocation =
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** The arguments behind the command, which reads them by itself. */
  | { readonly kind: "make-key"; readonly args: readonly string[] }
  | { readonly kind: "serve"; readonly config: Config };

/**
 * Reads what the program is to do from its environment and its arguments, without the paths of Node and of the program.
 * The first argument that is no flag is the command. Help and version are given however wrong the rest may be; else the
 * failure's description names everything that is wrong, and repeats no value.
 */
export function readInvocation(
  env: Environment,
  args: readonly string[],
): Result<Invocation, Failure<"INVALID_SETTING">> {
  if (args[0] === "make-key") {
    return ok({ kind: "make-key", args: args.slice(1) });
  }
  const { asksFor, operands, flags, problems } = readCommandLine(args);
  if (asksFor !== undefined) {
    return ok({ kind: asksFor });
  }
  const config = readConfig(env, flags);
  const all = [
    ...problems,
    operandProblem(operands),
    config.ok ? undefined : config.failure.description,
  ].filter((problem) => problem !== undefined);
  return config.ok && all.length === 0
    ? ok({ kind: "serve", config: config.value })
    : fail("INVALID_SETTING", all.join("; "));
}
