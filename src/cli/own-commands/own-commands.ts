import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { checkHealth } from "../../service/health-check.js";
import { completionScript, SHELLS } from "../definitions/completion.js";
import type { ProgramDefinition } from "../definitions/describe-program.js";
import { describeCompletion, describeHealthcheck, describeMakeKey, describeUpdateData } from "../help.js";
import { SERVICE_GROUP, TOOL_GROUP, writerOf } from "../root.js";
import type { ProcessContext } from "../run.js";
import { describeImportOtp, IMPORT_COMMAND, importOtp } from "./import-otp.js";
import { makeKey } from "./make-key.js";

/** A command that calls no method of a service. */
export interface OwnCommand {
  readonly name: string;
  /** The heading in the help of the program. */
  readonly group: string;
  /** Adds the description, the arguments and the flags. */
  readonly describe: (command: Command) => void;
  readonly run: (
    command: Command,
    context: ProcessContext,
    define: () => ProgramDefinition,
  ) => Promise<ExitStatus>;
}

/** The commands besides those of tools and `serve`. */
export const OWN_COMMANDS: readonly OwnCommand[] = [
  { name: IMPORT_COMMAND, group: TOOL_GROUP, describe: describeImportOtp, run: importOtp },
  {
    name: "healthcheck",
    group: SERVICE_GROUP,
    describe: describeHealthcheck,
    // Without arguments, the program runs it before it loads the commands.
    run: async (_, { env, out, err }) => {
      const { status, text } = await checkHealth(env);
      await (status === EXIT.ok ? out : err).sink.write(`${text}\n`);
      return status;
    },
  },
  {
    name: "make-key",
    group: SERVICE_GROUP,
    describe: describeMakeKey,
    run: (command, { out, err }) =>
      makeKey(command.args[0] ?? "", {
        ...command.opts<{ append?: string; expires?: string }>(),
        randomBytes,
        out: writerOf(out.sink),
        err: writerOf(err.sink),
      }),
  },
  {
    name: "update-data",
    group: SERVICE_GROUP,
    describe: describeUpdateData,
    run: async (command, context) => {
      const { updateData } = await import("./update-data.js");
      return updateData(command, context);
    },
  },
  {
    name: "completion",
    group: "Shell:",
    describe: describeCompletion,
    run: async (command, { out }, define) => {
      const shell = SHELLS.find((each) => each === command.args[0]) ?? "bash";
      await out.sink.write(completionScript(shell, define()));
      return EXIT.ok;
    },
  },
];
