import type { Command } from "commander";
import { ok } from "../result.js";
import { openLocalService, openRemoteService, type RemoteFlags, readRemoteOptions } from "./calls.js";
import { isSecret, readRequest, type ToolCommand } from "./commands.js";
import { EXIT, type ExitStatus, errorLine } from "./failures.js";
import { readOperands } from "./input.js";
import { outputFile, SinkError } from "./output.js";
import { type CommandRun, isStreamError, type ProcessContext, runMany, runOne } from "./run.js";
import { createStyle, usesColors } from "./terminal.js";

/** The flags of every tool command, besides those of its method. */
export interface CommonFlags extends RemoteFlags {
  readonly json?: boolean;
  readonly output?: string;
  /** False with `--no-progress`. */
  readonly progress: boolean;
}

/**
 * Runs a tool command with the arguments that commander has parsed. Resolves to the exit status. Throws a `CommanderError` for
 * invalid arguments, after commander has printed it.
 */
export async function runCommand(
  command: ToolCommand,
  parsed: Command,
  context: ProcessContext,
): Promise<ExitStatus> {
  const { env, input, err } = context;
  const flags = parsed.opts<CommonFlags>();
  const build = readRequest(command, flags, context.registry);
  const operands = readOperands(command, parsed.args, input.isTerminal);
  const remote = await readRemoteOptions(flags, env);
  const problems = [
    ...(build.ok ? [] : build.failure),
    ...(operands.ok ? [] : [operands.failure.description]),
    ...(!remote.ok && remote.failure.reason === "USAGE" ? [remote.failure.description] : []),
    ...(remote.ok && remote.value === undefined && command.needsService
      ? ["needs --url, because it reports how a service sees this client"]
      : []),
  ];
  if (problems.length > 0 || !build.ok || !operands.ok) {
    parsed.error(problems.join("; "));
  }
  const errStyle = createStyle(usesColors(err.isTerminal, env));
  const reject = async (problem: string, status: ExitStatus): Promise<ExitStatus> => {
    await err.sink.write(errorLine(command.name, problem, errStyle));
    return status;
  };
  if (!remote.ok) {
    return reject(remote.failure.description, EXIT.io);
  }
  const opened =
    remote.value === undefined
      ? await openLocalService(command.method.parent, env)
      : ok(openRemoteService(remote.value));
  if (!opened.ok) {
    return reject(opened.failure.description, opened.failure.status);
  }
  const out = flags.output === undefined ? context.out : outputFile(flags.output);
  const { operand } = command;
  const run: CommandRun = {
    command,
    context,
    call: opened.value,
    build: build.value,
    isRemote: remote.value !== undefined,
    isJson: flags.json === true,
    hasDefaults: command.fields.every(
      ({ localName }) => parsed.getOptionValueSource(localName) === undefined,
    ),
    showsProgress: err.isTerminal && !out.isTerminal && !input.isTerminal && flags.progress,
    out,
    width: out.isTerminal ? (out.width ?? 80) : undefined,
    style: createStyle(usesColors(out.isTerminal, env)),
    errStyle,
    subjectOf:
      operand !== undefined && isSecret(operand)
        ? () => ({ kind: "secret", name: operand.name })
        : (text) => ({ kind: "input", text }),
  };
  try {
    const status = await (operands.value.kind === "many"
      ? runMany(run, operands.value.operands)
      : runOne(run, operands.value));
    await out.sink.end();
    return status;
  } catch (thrown) {
    if (!isStreamError(thrown)) {
      throw thrown;
    }
    if (thrown instanceof SinkError && thrown.isReaderGone) {
      return EXIT.ok;
    }
    return reject(thrown.message, EXIT.io);
  }
}
