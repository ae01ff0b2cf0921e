import { createRegistry, type DescService } from "@bufbuild/protobuf";
import { SERVICE_LOADERS } from "@utility-tools/protos/service-loaders.js";
import { type Command, CommanderError } from "commander";
import type { Comments } from "connect-transcoding/openapi";
import { createServeCommand, usageProblem } from "../config/serve-command.js";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { packageVersion } from "../installed-package.js";
import { once } from "../once.js";
import { HELP_FLAGS, VERSION_FLAGS, withFlagsLast } from "../program-flags.js";
import { openLocalService } from "./calls/calls.js";
import { deriveCommands } from "./commands.js";
import { createFlag } from "./common-flags.js";
import { type CommandSummary, overviewOf, readSummaries } from "./definitions/overview.js";
import { errorLine, reporterOf } from "./failures.js";
import { commandExample, describeTool } from "./help.js";
import { standardInput } from "./input/streams.js";
import { codeCommand, hasCodes } from "./one-time-passwords.js";
import { endOutputs, standardOutput } from "./output/sinks.js";
import { createStyle, usesColors } from "./output/terminal.js";
import { OWN_COMMANDS } from "./own-commands/own-commands.js";
import { recognizeInput } from "./recognize.js";
import {
  addExamples,
  allCommands,
  createRoot,
  fullName,
  type Program,
  SERVICE_GROUP,
  TOOL_GROUP,
  VERSION_HELP,
} from "./root.js";
import type { ProcessContext } from "./run.js";
import { runCommand } from "./run-command.js";
import { StreamError } from "./stream-error.js";

/** The environment and the streams of this process. */
export function thisProcess(): Omit<ProcessContext, "registry"> {
  return {
    env: process.env,
    input: standardInput(),
    out: standardOutput(process.stdout, "standard output"),
    err: standardOutput(process.stderr, "standard error"),
    ask: async (prompt) => {
      const { askHidden } = await import("./input/ask.js");
      return askHidden(prompt);
    },
    openLocal: openLocalService,
    startThread: async (streams, sharedFiles) => {
      const { startSecondThread } = await import("./lists/second-thread.js");
      return startSecondThread(streams, sharedFiles);
    },
  };
}

/** Runs the program with all arguments except those of `serve`. Resolves to the exit status. */
export async function runTools(
  given: readonly string[],
  surroundings: Omit<ProcessContext, "registry"> = thisProcess(),
): Promise<ExitStatus> {
  const args = withFlagsLast(given);
  // Whether an input is a country, and the command that it then is, need the same index.
  let countries: ReturnType<ProcessContext["openLocal"]> | undefined;
  const openLocal: ProcessContext["openLocal"] = async (service, ...others) =>
    (service.typeName === COUNTRIES ? countries : undefined) ?? surroundings.openLocal(service, ...others);
  const openCountries = async () => {
    countries = surroundings.openLocal(await SERVICE_LOADERS[COUNTRIES](), surroundings.env);
    return countries;
  };
  let status: ExitStatus = EXIT.ok;
  const create = async (parts: ProgramParts): Promise<Program> => {
    const registry = createRegistry(...parts.services.map(({ file }) => file));
    return createProgram({ registry, ...surroundings, openLocal }, parts, (ended) => {
      status = ended;
    });
  };
  const all = once(async () => create(await allParts()));
  const summaries = readSummaries() ?? summariesOf(await all());
  const names = [...new Set(summaries.map(({ name }) => firstWord(name))), "help"];
  const recognized = await recognizeInput(args, names, openCountries, async (word) =>
    relatedCommands(word, (await all()).commands).map(fullName),
  );
  try {
    if (recognized.kind === "unknown") {
      return (await all()).root.error(recognized.problem);
    }
    const parts = await partsOf(recognized.args, summaries);
    const { root } = await (parts === undefined ? all() : create(parts));
    await root.parseAsync(recognized.args, { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) {
      throw thrown;
    }
    // Commander has printed help, the version or an error.
    status = thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return await endOutputs(status, surroundings.out, surroundings.err);
}

/** What the help of the program shows of its commands, and the services that they call. */
export function summariesOf({ commands, services }: Program): CommandSummary[] {
  return commands.map((each) => overviewOf(each, services.get(each)));
}

const COUNTRIES = "utilitytools.v1.CountriesService";

/** What a program is created from. */
interface ProgramParts {
  /** The services whose methods are commands. */
  readonly services: readonly DescService[];
  /** The comments of the protos, for help; undefined: no help is shown. */
  readonly comments?: Comments;
  /** The first word of the only commands; undefined: all. */
  readonly only?: string;
}

/** Loads everything, for the help of the program and its documents. */
async function allParts(): Promise<ProgramParts> {
  const services = await Promise.all(Object.values(SERVICE_LOADERS).map((load) => load()));
  return { services, comments: await loadComments() };
}

async function loadComments(): Promise<Comments> {
  const { loadDocumentation } = await import("../service/documentation.js");
  return loadDocumentation().comments;
}

/**
 * Loads what the commands with the first word of arguments need, so that a command costs no more than it uses. Resolves to undefined
 * if other commands are needed as well, or none is known to call a service.
 */
async function partsOf(
  args: readonly string[],
  summaries: readonly CommandSummary[],
): Promise<ProgramParts | undefined> {
  const [only = ""] = args;
  const wanted = new Set(
    summaries.filter(({ name }) => firstWord(name) === only).map(({ service }) => service),
  );
  const loaders = Object.entries(SERVICE_LOADERS).filter(([name]) => wanted.has(name));
  if (loaders.length === 0) {
    return undefined;
  }
  const services = await Promise.all(loaders.map(([, load]) => load()));
  return { services, only, ...(args.some(isHelpFlag) && { comments: await loadComments() }) };
}

/** Whether an argument can ask for help, also among other flags of one letter. */
function isHelpFlag(arg: string): boolean {
  return HELP_FLAGS.split(", ").includes(arg) || /^(help|-\w*h\w*)$/.test(arg);
}

function firstWord(name: string): string {
  return name.split(" ", 1)[0] ?? "";
}

/** The commands with a word in their name, otherwise those with it in their summary; at most three. */
function relatedCommands(word: string, commands: readonly Command[]): readonly Command[] {
  const hasWord = (text: string) =>
    text
      .toLowerCase()
      .split(/[^a-z]+/)
      .includes(word.toLowerCase());
  const named = commands.filter((each) => hasWord(fullName(each)));
  const related = named.length > 0 ? named : commands.filter((each) => hasWord(each.summary()));
  return related.length <= MAX_RELATED ? related : [];
}

/** More commands than this are no help. */
const MAX_RELATED = 3;

/** Creates the program with all of its commands, for its documents. */
export async function defineProgram(): Promise<Program> {
  return createProgram({ registry: createRegistry(), ...thisProcess() }, await allParts(), () => {});
}

/**
 * Creates the program: a command for each tool command and each of {@link OWN_COMMANDS}, and `serve` for help alone.
 *
 * @param finish called with the exit status of a command that has run
 */
function createProgram(
  context: ProcessContext,
  { services, comments = {}, only }: ProgramParts,
  finish: (status: ExitStatus) => void,
): Program {
  const version = packageVersion();
  const errStyle = createStyle(usesColors(context.err.isTerminal, context.env));
  const runnable = new Set<Command>();
  const serviceNames = new Map<Command, string>();
  const isWanted = ({ name }: { readonly name: string }) => only === undefined || firstWord(name) === only;
  const runnableIn = (each: Command) => allCommands(each.commands).filter((command) => runnable.has(command));

  function configure(command: Command): Command {
    const name = fullName(command);
    return command
      .version(`utility-tools ${version}`, VERSION_FLAGS, VERSION_HELP)
      .configureOutput({
        outputError: (text, write) => write(errorLine(name, usageProblem(text, command.options), errStyle)),
      })
      .showHelpAfterError(`${["utility-tools", name, "--help"].filter(Boolean).join(" ")} shows the usage`);
  }

  /** Adds a command by its words. The words before the last are commands of their own, or groups. */
  function add(words: readonly string[], parent: Command): Command {
    const [word = "", ...more] = words;
    const command = parent.commands.find((each) => each.name() === word) ?? configure(parent.command(word));
    return more.length === 0 ? command : add(more, command);
  }

  /** A reader of the output that has gone is not an error. */
  async function withErrorsOfStreams(name: string, status: Promise<ExitStatus>): Promise<ExitStatus> {
    try {
      return await status;
    } catch (thrown) {
      if (!(thrown instanceof StreamError)) {
        throw thrown;
      }
      if (!thrown.isReaderGone) {
        await reporterOf(name, context)(thrown.message);
      }
      return thrown.isReaderGone ? EXIT.ok : thrown.status;
    }
  }

  function addRunnable(
    name: string,
    group: string,
    action: (command: Command) => Promise<ExitStatus>,
  ): Command {
    const command = add(name.split(" "), root).helpGroup(group);
    runnable.add(command);
    return command.action(async () => finish(await withErrorsOfStreams(name, action(command))));
  }

  const root = configure(createRoot(context, runnable));
  const program = (): Program => ({ root, commands: runnableIn(root), services: serviceNames });
  const tools = deriveCommands(services)
    .flatMap((tool) => (hasCodes(tool) ? [codeCommand(tool), tool] : [tool]))
    .filter(isWanted);
  for (const tool of tools) {
    const command = addRunnable(tool.name, TOOL_GROUP, (each) => runCommand(tool, each, context));
    describeTool(command, tool, comments);
    serviceNames.set(command, tool.method.parent.typeName);
  }
  if (only === undefined) {
    const serve = createServeCommand(version, () => {}).helpGroup(SERVICE_GROUP);
    root.addCommand(serve);
    runnable.add(serve);
  }
  for (const { name, group, example, summary, description, operand, flags = [], run } of OWN_COMMANDS.filter(
    isWanted,
  )) {
    const command = addRunnable(name, group, (each) => run(each, context, program()));
    addExamples(command.summary(summary).description(description), example.split("\n"));
    for (const each of flags) {
      command.addOption(createFlag(...each));
    }
    if (operand !== undefined) {
      command.addArgument(operand);
    }
  }
  // The help of a group shows the example of a command in it.
  for (const group of allCommands(root.commands).filter((each) => !runnable.has(each))) {
    const isIn = ({ name }: { readonly name: string }) => name.startsWith(`${fullName(group)} `);
    const tool = tools.find(isIn);
    const [example = ""] = OWN_COMMANDS.find(isIn)?.example.split("\n", 1) ?? [];
    addExamples(group, [tool === undefined ? example : commandExample(tool)]);
  }
  return program();
}
