import { ok } from "../result.js";
import type { ToolCommand } from "./command.js";
import { COMMON_FLAGS } from "./common-flags.js";
import { complaint } from "./complaint.js";
import { EXIT, type ExitStatus } from "./exit-status.js";
import { commandHelp } from "./help.js";
import { InputError } from "./input-error.js";
import { isSecret } from "./is-secret.js";
import { type Operands, readOperands } from "./operands.js";
import { type Arguments, parseArguments } from "./parse-arguments.js";
import type { Output, Program } from "./program.js";
import { remoteOptions } from "./remote-options.js";
import { readRequest } from "./request.js";
import type { Run } from "./run.js";
import { runMany } from "./run-many.js";
import { runOne } from "./run-one.js";
import { type Sink, SinkError } from "./sink.js";
import { createStyle, hasColours } from "./style.js";

/** Runs the command of a tool with the arguments behind its name. Resolves to what the program ends with. */
export async function runCommand(
  command: ToolCommand,
  args: readonly string[],
  program: Program,
): Promise<ExitStatus> {
  const parsed = parseArguments(args, [...command.fields.keys(), ...Object.values(COMMON_FLAGS)]);
  const { comments, env, err, version } = program;
  const errStyle = createStyle(hasColours(err.isTerminal, env));
  if (parsed.values.has(COMMON_FLAGS.help)) {
    await program.out.sink.write(`${commandHelp(command, { comments, width: program.out.width })}\n`);
    return EXIT.ok;
  }
  if (parsed.values.has(COMMON_FLAGS.version)) {
    await program.out.sink.write(`utility-tools ${version}\n`);
    return EXIT.ok;
  }
  const refuse = async (problem: string, status: ExitStatus): Promise<ExitStatus> => {
    await err.sink.write(complaint(command.name, problem, errStyle));
    if (status === EXIT.usage) {
      await err.sink.write(`utility-tools ${command.name} --help tells how it is used\n`);
    }
    return status;
  };
  const build = readRequest(command, parsed, program.registry);
  const problems = [...parsed.problems, ...(build.ok ? [] : build.failure)];
  const operands = readOperands(command, parsed.operands, program.input.isTerminal);
  if (!operands.ok) {
    problems.push(operands.failure.description);
  }
  const remote = await remoteOptions(parsed, env);
  if (!remote.ok && remote.failure.reason === "USAGE") {
    problems.push(remote.failure.description);
  } else if (remote.ok && remote.value === undefined && command.needsService) {
    problems.push("needs --url: it asks a service about the connection to it");
  }
  if (problems.length > 0 || !build.ok || !operands.ok) {
    return refuse(problems.join("; "), EXIT.usage);
  }
  if (!remote.ok) {
    return refuse(remote.failure.description, EXIT.io);
  }
  const opened =
    remote.value === undefined
      ? await program.openHere(command.method.parent)
      : ok(await program.openService(remote.value));
  if (!opened.ok) {
    return refuse(opened.failure.description, opened.failure.status);
  }
  const file = parsed.values.get(COMMON_FLAGS.output)?.[0];
  const out =
    file === undefined ? program.out : { isTerminal: false, width: undefined, sink: program.openFile(file) };
  const run: Run = {
    command,
    program,
    call: opened.value,
    build: build.value,
    isRemote: remote.value !== undefined,
    isJson: parsed.values.has(COMMON_FLAGS.json),
    isPlain: ![...command.fields.keys()].some((flag) => parsed.values.has(flag)),
    showsProgress: mayShowProgress(parsed, program, out),
    out,
    style: createStyle(hasColours(out.isTerminal, env)),
    errStyle,
    hasSecrets: isSecret(command.operand),
    subjectOf: subjects(command),
  };
  return guardOutput(run, out.sink, () => answer(run, operands.value));
}

function answer(run: Run, operands: Operands): Promise<ExitStatus> {
  return operands.kind === "many" ? runMany(run, operands.operands) : runOne(run, operands);
}

function subjects({ operand }: ToolCommand): Run["subjectOf"] {
  return operand !== undefined && isSecret(operand)
    ? () => ({ kind: "secret", name: operand.name })
    : (text) => ({ kind: "input", text });
}

function mayShowProgress({ values }: Arguments, { input, err }: Program, out: Output): boolean {
  return err.isTerminal && !out.isTerminal && !input.isTerminal && !values.has(COMMON_FLAGS.noProgress);
}

/** Runs something that reads and writes. That nobody reads any more ends it without a word. */
async function guardOutput({ command, program, errStyle }: Run, sink: Sink, work: () => Promise<ExitStatus>) {
  try {
    const status = await work();
    await sink.end();
    return status;
  } catch (thrown) {
    if (!(thrown instanceof SinkError || thrown instanceof InputError)) {
      throw thrown;
    }
    if (thrown instanceof SinkError && thrown.isReaderGone) {
      return EXIT.ok;
    }
    await program.err.sink.write(complaint(command.name, thrown.message, errStyle));
    return EXIT.io;
  }
}
