import { existsSync } from "node:fs";
import type { Command } from "commander";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { ok } from "../failures/result.js";
import { PICKS } from "../text/find-address.js";
import { openRemoteService, readRemoteOptions } from "./calls/calls.js";
import { createFindCode, findingCountries } from "./calls/find-country.js";
import {
  type BuildRequest,
  fullViewOf,
  isSecret,
  operandOf,
  readRequest,
  type ToolCommand,
} from "./commands.js";
import { errorLine } from "./failures.js";
import { commandExample } from "./help.js";
import { formatBySuffix } from "./image-format.js";
import { createFinder, findingOf } from "./input/finder.js";
import { fileFlag, type Operands, readOperands, STANDARD_INPUT } from "./input/operands.js";
import { inputFile, isSameFile, peekInput } from "./input/streams.js";
import { checkCode, codeProblem } from "./one-time-passwords.js";
import type { OutputFormat } from "./output/results.js";
import { type FieldSelection, readSelection } from "./output/selection.js";
import { outputFile, SinkError } from "./output/sinks.js";
import { createStyle, usesColors } from "./output/terminal.js";
import { nearestWord } from "./recognize.js";
import { fullName } from "./root.js";
import {
  type CommandRun,
  type CommonFlags,
  isStreamError,
  type ProcessContext,
  runMany,
  runOne,
  sharingOf,
} from "./run.js";

/** What the arguments of a command mean. */
interface Arguments {
  readonly flags: CommonFlags;
  /** The value of `--file` or `--secret-file`. */
  readonly file: string | undefined;
  readonly format: OutputFormat;
  readonly selection: FieldSelection;
  /** The values of the flags, by the local names of their fields. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly build: BuildRequest;
  readonly operands: Operands;
  /** The running service to call; undefined: none. The failure is a file that cannot be read. */
  readonly remote: Awaited<ReturnType<typeof readRemoteOptions>>;
}

/**
 * Reads the arguments that commander has parsed. Throws a `CommanderError` with everything that is invalid, after commander has
 * printed it.
 */
async function readArguments(
  command: ToolCommand,
  parsed: Command,
  { env, input, out, registry }: ProcessContext,
  given: readonly string[],
  hasInput: boolean,
): Promise<Arguments> {
  const flags = parsed.opts<CommonFlags>();
  const file = flags.file ?? flags.secretFile;
  const isCsv = flags.csv === true;
  const format = isCsv ? "csv" : flags.json ? "json" : "text";
  const selection = readSelection(command, flags.fields, format, registry);
  const suffix = formatBySuffix(command, flags.output, parsed.getOptionValue("format"));
  const view = fullViewOf(command);
  // People see the summary of the full view.
  const isShown = format === "text" && flags.output === undefined && out.isTerminal;
  const needsFullView = selection.ok && (selection.value.needsFullView || isShown || flags.summary === true);
  const values: Readonly<Record<string, unknown>> = {
    ...(needsFullView && view && { [view.field.localName]: view.value }),
    ...flags,
    ...(suffix.ok && suffix.value && { [suffix.value.field.localName]: suffix.value.text }),
  };
  const build = readRequest(command, values, registry);
  const operands = readOperands(command, given, {
    isTerminal: input.isTerminal,
    hasInput,
    file,
    isCsv,
    example: commandExample(command),
  });
  const checked = operands.ok && flags.code !== undefined ? single(operands.value) : operands;
  const remote = await readRemoteOptions(flags, env);
  const problems = [
    ...(build.ok ? [] : build.failure),
    ...[selection, suffix, checked].flatMap((each) => (each.ok ? [] : [each.failure.description])),
    ...(file !== undefined && flags.output !== undefined && isSameFile(file, flags.output)
      ? [`--output must not be the file of ${fileFlag(command)}`]
      : []),
    ...(isCsv && flags.json ? ["--csv and --json must not be given together"] : []),
    ...(flags.summary && flags.fields !== undefined
      ? ["--summary and --fields must not be given together"]
      : []),
    ...(findingOf(command) === "flag" && !flags.find && (flags.pick ?? flags.onlyResults) !== undefined
      ? ["--pick and --only-results need --find as well"]
      : []),
    ...(flags.column !== undefined && !isCsv ? ["--column needs --csv as well"] : []),
    ...(flags.code === undefined ? [] : [codeProblem(flags.code) ?? []].flat()),
    ...(flags.code !== undefined && isCsv ? ["--code and --csv must not be given together"] : []),
    ...(!remote.ok && remote.failure.reason === "USAGE" ? [remote.failure.description] : []),
    ...(remote.ok && remote.value === undefined && command.needsService
      ? [`needs --url, because only a service sees the address of this client: '${commandExample(command)}'`]
      : []),
  ];
  if (problems.length > 0 || !build.ok || !checked.ok || !selection.ok) {
    return parsed.error(problems.join("; "));
  }
  return {
    flags,
    file,
    format,
    selection: selection.value,
    values,
    build: build.value,
    operands: flags.summary ? asList(checked.value) : checked.value,
    remote,
  };
}

/**
 * Runs a tool command with the arguments that commander has parsed. Resolves to the exit status. Throws a `CommanderError` for
 * invalid arguments, after commander has printed it.
 *
 * @param given the operands, if they are not the arguments
 */
export async function runCommand(
  command: ToolCommand,
  parsed: Command,
  surroundings: ProcessContext,
  given: readonly string[] = parsed.args,
): Promise<ExitStatus> {
  const { context, hasInput } = await withPipe(command, parsed, surroundings, given);
  const { env, err } = context;
  const { flags, file, format, selection, values, build, operands, remote } = await readArguments(
    command,
    parsed,
    context,
    given,
    hasInput,
  );
  const errStyle = createStyle(usesColors(err.isTerminal, env));
  const reject = async (problem: string, status: ExitStatus): Promise<ExitStatus> => {
    await err.sink.write(errorLine(command.name, problem, errStyle));
    return status;
  };
  if (!remote.ok) {
    return reject(remote.failure.description, EXIT.io);
  }
  const input = file === undefined || file === STANDARD_INPUT ? context.input : inputFile(file);
  const out = flags.output === undefined ? context.out : outputFile(flags.output);
  const task = {
    command,
    context,
    input,
    out,
    isRemote: remote.value !== undefined,
    flags,
    width: out.isTerminal ? (out.width ?? 80) : undefined,
  };
  const { pick = "client" } = flags;
  const finder = createFinder(command, PICKS.find((each) => each === pick) ?? "client", flags.find === true);
  const shared = sharingOf(task, operands);
  const warnings: string[] = [];
  const opened =
    remote.value === undefined
      ? await context.openLocal(command.method.parent, env, (problem) => warnings.push(problem))
      : ok(await openRemoteService(remote.value));
  for (const problem of warnings) {
    await err.sink.write(errorLine(command.name, problem, errStyle));
  }
  if (!opened.ok) {
    shared?.end();
    return reject(opened.failure.description, opened.failure.status);
  }
  const { code } = flags;
  const { operand } = command;
  const view = fullViewOf(command);
  const run: CommandRun = {
    ...task,
    // A service has its index already, and an additional call takes longer.
    call: findingCountries(opened.value, task.isRemote ? undefined : createFindCode(opened.value)),
    build,
    shared,
    finder,
    format,
    selected: selection.columns,
    hasErrorColumn: selection.hasErrorColumn,
    isFullView: view !== undefined && [values[view.field.localName]].flat().includes(view.value),
    isAll: flags.all === true,
    shownLists: Object.keys(values).filter((name) => values[name] === true),
    check: code === undefined ? undefined : (response) => checkCode(command, code, response),
    hasDefaults: command.fields.every(({ localName }) => values[localName] === undefined),
    style: createStyle(usesColors(out.isTerminal, env)),
    errStyle,
    subjectOf:
      operand !== undefined && isSecret(operand)
        ? (text) => ({ kind: "secret", name: operandOf(command, text)?.name ?? "" })
        : (text) => ({ kind: "input", text }),
    hintOf: (text) => (given.includes(text) ? commandHint(parsed, text) || fileHint(command, text) : ""),
  };
  try {
    const status = await (operands.kind === "many" ? runMany(run, operands.operands) : runOne(run, operands));
    await out.sink.end();
    return status;
  } catch (thrown) {
    if (!isStreamError(thrown)) {
      throw thrown;
    }
    if (thrown instanceof SinkError) {
      return thrown.isReaderGone ? EXIT.ok : reject(thrown.message, EXIT.io);
    }
    return reject(thrown.message, thrown.status);
  }
}

/**
 * Reads the beginning of standard input for a command that can also be called without an input. An empty one, such as `/dev/null`, is
 * none.
 */
async function withPipe(
  { operand, withoutOperand }: ToolCommand,
  parsed: Command,
  context: ProcessContext,
  given: readonly string[],
): Promise<{ readonly context: ProcessContext; readonly hasInput: boolean }> {
  const { file } = parsed.opts<CommonFlags>();
  const isAsked =
    operand !== undefined && withoutOperand !== undefined && given.length === 0 && file === undefined;
  if (!isAsked || context.input.isTerminal || context.serveBatches !== undefined) {
    return { context, hasInput: false };
  }
  const { input, isEmpty } = await peekInput(context.input).catch((thrown: unknown) => {
    if (isStreamError(thrown)) {
      return { input: context.input, isEmpty: true };
    }
    throw thrown;
  });
  return { context: { ...context, input }, hasInput: !isEmpty };
}

/** A single operand as a list. */
function asList(operands: Operands): Operands {
  return operands.kind === "one" ? { kind: "many", operands: [operands.text] } : operands;
}

/** The only operand of a check. */
function single(operands: Operands) {
  if (operands.kind !== "many") {
    return ok(operands);
  }
  return operands.operands.length === 1
    ? ok({ kind: "whole_input", isFile: true } as const)
    : ({ ok: false, failure: { description: "--code checks one secret" } } as const);
}

/** The command below a command that an argument is nearly the name of. */
function commandHint(parsed: Command, text: string): string {
  const nearest = nearestWord(
    text,
    parsed.commands.map((each) => each.name()),
  );
  return nearest === undefined ? "" : ` (did you mean ${fullName(parsed)} ${nearest}?)`;
}

/** The flag for files, if an argument that is not valid is the name of a file. The name of a secret's file is not repeated. */
function fileHint(command: ToolCommand, text: string): string {
  if (command.returnsBytes || !existsSync(text)) {
    return "";
  }
  const flag = fileFlag(command);
  return flag === "--file"
    ? ` (a file has this name: did you mean -f ${text}?)`
    : ` (a file has this name: ${flag} reads it)`;
}
