import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { ConnectError } from "@connectrpc/connect";
import type { Command } from "commander";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { ok } from "../failures/result.js";
import type { PlannedCalls, SharedFiles } from "../tools/tool.js";
import { readArguments } from "./arguments.js";
import {
  createFindCode,
  findingCountries,
  methodsForNeighbors,
  namingNeighbors,
} from "./calls/find-country.js";
import { type BuildRequest, fullViewOf, isSecret, operandOf, type ToolCommand } from "./commands.js";
import { reporterOf } from "./failures.js";
import { fileFlag, type Operands, STANDARD_INPUT } from "./input/operands.js";
import { inputFile } from "./input/streams.js";
import { createSharing, type Sharing } from "./lists/sharing.js";
import { outputFile } from "./output/sinks.js";
import { createStyle, usesColors } from "./output/terminal.js";
import { nearestWord } from "./recognize.js";
import { fullName } from "./root.js";
import type { CommandRun, ProcessContext } from "./run.js";
import { runMany } from "./run-many.js";
import { runOne } from "./run-one.js";

/**
 * Runs a tool command with the arguments that commander has parsed. Resolves to the exit status. Throws a `CommanderError` for
 * invalid arguments, after commander has printed it.
 */
export async function runCommand(
  command: ToolCommand,
  parsed: Command,
  context: ProcessContext,
): Promise<ExitStatus> {
  const { args: given } = parsed;
  const { env, err } = context;
  const { flags, file, format, selection, values, build, operands, remote } = await readArguments(
    command,
    parsed,
    context,
  );
  const report = reporterOf(command.name, context);
  const reject = async (problem: string, status: ExitStatus): Promise<ExitStatus> => {
    await report(problem);
    return status;
  };
  if (!remote.ok) {
    const isSetting = remote.failure.reason === "INVALID_SETTING";
    return reject(remote.failure.description, isSetting ? EXIT.config : EXIT.io);
  }
  const input = file === undefined || file === STANDARD_INPUT ? context.input : inputFile(file);
  const out = flags.output === undefined ? context.out : outputFile(flags.output);
  const server = remote.value;
  const isRemote = server !== undefined;
  const width = out.isTerminal ? (out.width ?? 80) : undefined;
  const isSummary = format === "text" && width !== undefined && !flags.all && flags.fields === undefined;
  const task = { command, context, flags, input, out, isRemote, width };
  const warnings: string[] = [];
  // Most commands call no running service, so they do not load what does.
  const opening = isRemote
    ? import("./calls/remote-service.js").then((module) => ok(module.createRemoteCaller(server)))
    : context.openLocal(command.method.parent, env, {
        warn: (problem) => warnings.push(problem),
        calls: plannedCalls(command, operands, build, isSummary),
      });
  const shared = sharingOf(task, operands, async () => {
    const opened = await opening;
    return opened.ok && "shareFiles" in opened.value ? opened.value.shareFiles() : new Map();
  });
  const opened = await opening;
  for (const problem of warnings) {
    await report(problem);
  }
  if (!opened.ok) {
    shared?.end();
    return reject(opened.failure.description, opened.failure.status);
  }
  const view = fullViewOf(command);
  // A service has its index already, and an additional call takes longer.
  const call = findingCountries(opened.value, isRemote ? undefined : createFindCode(opened.value));
  const run: CommandRun = {
    ...task,
    call: isSummary ? namingNeighbors(call) : call,
    build,
    shared,
    format,
    ...selection,
    isFullView: view !== undefined && [values[view.field.localName]].flat().includes(view.value),
    isAll: flags.all === true,
    shownLists: Object.keys(values).filter((name) => values[name] === true),
    hasDefaults: command.fields.every(({ localName }) => values[localName] === undefined),
    rejectArguments: (problem) => parsed.error(problem),
    style: createStyle(usesColors(out.isTerminal, env)),
    errStyle: createStyle(usesColors(err.isTerminal, env)),
    subjectOf: isSecret(command.operand)
      ? (text) => ({ kind: "secret", name: operandOf(command, text)?.name ?? "" })
      : (text) => ({ kind: "input", text }),
    hintOf: (text) => (given.includes(text) ? commandHint(parsed, text) || fileHint(command, text) : ""),
  };
  const status = await (operands.kind === "many" ? runMany(run, operands.operands) : runOne(run, operands));
  await out.sink.end();
  return status;
}

/**
 * Shares a list with a second thread, unless the process has one core, or the rows of a table depend on those before.
 *
 * @param sharedFiles returns the data files in a memory that both threads use
 */
function sharingOf(
  run: Pick<CommandRun, "command" | "context" | "flags" | "input" | "out" | "width" | "isRemote">,
  operands: Operands,
  sharedFiles: () => Promise<SharedFiles>,
): Sharing | undefined {
  const { command, context, flags, input, out, width, isRemote } = run;
  const { startThread, serveBatches, err } = context;
  const isLocal = !isRemote && command.batch !== undefined && serveBatches === undefined;
  const isStream = operands.kind === "many" && operands.operands.includes(STANDARD_INPUT);
  const isShared = isLocal && isStream && width === undefined && !flags.summary && availableParallelism() > 1;
  return startThread && isShared
    ? createSharing(input.size, async () => startThread({ out, err }, await sharedFiles()))
    : undefined;
}

/** The calls of a command. Undefined if the request is not valid, which is then reported with everything else. */
function plannedCalls(
  { method, batch }: ToolCommand,
  operands: Operands,
  build: BuildRequest,
  isSummary: boolean,
): PlannedCalls | undefined {
  try {
    const request = { ...build(operands.kind === "one" ? operands.text : undefined) };
    const methods = batch === undefined ? [method] : [method, batch.method];
    return { methods: [...methods, ...(isSummary ? methodsForNeighbors(method) : [])], request };
  } catch (thrown) {
    if (thrown instanceof ConnectError) {
      return undefined;
    }
    throw thrown;
  }
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
