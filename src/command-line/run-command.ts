import { answerForm } from "./answer-form.js";
import { type CallFailure, callFailure } from "./call-failure.js";
import { type CallMethod, callOver } from "./call-method.js";
import type { ToolCommand } from "./command.js";
import { COMMON_FLAGS } from "./common-flags.js";
import { complaint, complaintJson, type Subject } from "./complaint.js";
import { EXIT, type ExitStatus, exitStatusOf } from "./exit-status.js";
import { commandHelp } from "./help.js";
import { isSecret } from "./is-secret.js";
import { openTransport } from "./open-transport.js";
import { type Operands, readOperands } from "./operands.js";
import { type Arguments, parseArguments } from "./parse-arguments.js";
import type { Output, Program } from "./program.js";
import { remoteOptions } from "./remote-options.js";
import { renderOne } from "./render-one.js";
import { type BuildRequest, readRequest } from "./request.js";
import { runMany } from "./run-many.js";
import { type Sink, SinkError } from "./sink.js";
import { createStyle, hasColours, type Style } from "./style.js";

/** A command with all that its arguments say, ready to run. */
export interface Run {
  readonly command: ToolCommand;
  readonly program: Program;
  readonly call: CallMethod;
  readonly build: BuildRequest;
  /** Whether calls leave this process. */
  readonly isRemote: boolean;
  readonly isJson: boolean;
  readonly showsProgress: boolean;
  readonly out: Output;
  readonly style: Style;
  readonly errStyle: Style;
  /** Whether inputs are secrets, which are not repeated. */
  readonly hasSecrets: boolean;
  /** What an error about an input says that it is about. */
  readonly subjectOf: (input: string) => Subject;
}

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
      : { ok: true as const, value: callOver(openTransport(remote.value), remote.value.timeoutMs) };
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

/** Makes one call, and writes its answer. */
async function runOne(run: Run, operands: Exclude<Operands, { kind: "many" }>): Promise<ExitStatus> {
  const { command, program, call, out, isJson, errStyle } = run;
  const text =
    operands.kind === "one"
      ? operands.text
      : operands.kind === "whole_input"
        ? await wholeInput(program.input.pieces)
        : undefined;
  const method = operands.kind === "none" ? (command.withoutOperand ?? command.method) : command.method;
  try {
    const message = await call(method, method === command.method ? run.build(text) : {});
    const form = answerForm(method, program.registry);
    const octets = isJson ? undefined : form.octets?.(message);
    if (octets !== undefined && out.isTerminal && !isText(octets.contentType)) {
      const hint = `a terminal cannot show ${octets.contentType}: write it to a file with --output FILE or > FILE`;
      await program.err.sink.write(complaint(command.name, hint, errStyle));
      return EXIT.usage;
    }
    const width = out.isTerminal ? (out.width ?? 80) : undefined;
    await out.sink.write(
      renderOne(message, { ...run, form, width, now: program.now, qrCode: program.qrCode }),
    );
    return EXIT.ok;
  } catch (thrown) {
    if (thrown instanceof SinkError) {
      throw thrown;
    }
    const failure = callFailure(thrown, command.operand?.name);
    const status = exitStatusOf(failure.code);
    // An input is not to blame for a service that cannot be reached.
    const isAboutInput = text !== undefined && status === EXIT.answeredWithError;
    await tell(run, failure, isAboutInput ? run.subjectOf(text) : undefined);
    return status;
  }
}

/** Tells what a call failed with on standard error. */
export async function tell(run: Run, failure: CallFailure, subject: Subject | undefined): Promise<void> {
  const { command, program, isJson, errStyle } = run;
  await program.err.sink.write(
    isJson ? complaintJson(failure, subject) : complaint(command.name, failure.message, errStyle, subject),
  );
}

function subjects({ operand }: ToolCommand): Run["subjectOf"] {
  return operand !== undefined && isSecret(operand)
    ? () => ({ kind: "secret", name: operand.name })
    : (text) => ({ kind: "input", text });
}

/** The longest text that is read as one input, in octets. */
const MAX_TEXT = 64 * 1024;

/** All of standard input as one text, without the end of its last line. */
async function wholeInput(pieces: AsyncIterable<Buffer>): Promise<string> {
  const read: Buffer[] = [];
  let octets = 0;
  for await (const piece of pieces) {
    read.push(piece);
    octets += piece.length;
    if (octets > MAX_TEXT) {
      break;
    }
  }
  return Buffer.concat(read)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

/** Whether the octets of a media type can be shown as they are. */
function isText(contentType: string): boolean {
  return /^text\/|[/+](?:xml|json)\b/.test(contentType);
}

function mayShowProgress({ values }: Arguments, { input, err }: Program, out: Output): boolean {
  return err.isTerminal && !out.isTerminal && !input.isTerminal && !values.has(COMMON_FLAGS.noProgress);
}

/** Runs something that writes. That nobody reads any more ends it without a word. */
async function guardOutput({ command, program, errStyle }: Run, sink: Sink, work: () => Promise<ExitStatus>) {
  try {
    const status = await work();
    await sink.end();
    return status;
  } catch (thrown) {
    if (!(thrown instanceof SinkError)) {
      throw thrown;
    }
    if (thrown.isReaderGone) {
      return EXIT.ok;
    }
    await program.err.sink.write(complaint(command.name, thrown.message, errStyle));
    return EXIT.io;
  }
}
