import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Registry } from "@bufbuild/protobuf";
import type { MessageInit } from "connect-transcoding/codec";
import type { Environment } from "../config/read-config.js";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { PICKS } from "../text/find-address.js";
import type { SharedFiles } from "../tools/tool.js";
import { createProcessor, waitingForLimits } from "./calls/batches.js";
import type { MethodCaller, openLocalService, RemoteFlags } from "./calls/calls.js";
import type { BuildRequest } from "./commands.js";
import {
  type CallFailure,
  callFailure,
  errorJson,
  errorLine,
  exitStatusOf,
  namedSubject,
} from "./failures.js";
import { decodeInput } from "./input/decode.js";
import { createFinder, type FindCounts } from "./input/finder.js";
import { type InputBatch, readInputs } from "./input/items.js";
import { type Operands, readWholeInput, STANDARD_INPUT } from "./input/operands.js";
import type { InputStream } from "./input/streams.js";
import { mapInOrder } from "./lists/map-in-order.js";
import type { SecondThread, startSecondThread } from "./lists/second-thread.js";
import { createSharing, SHARED_BATCHES, type Sharing } from "./lists/sharing.js";
import { type CheckResult, checkCode } from "./one-time-passwords.js";
import { countOf, createCounts } from "./output/counts.js";
import { createErrorLog } from "./output/error-log.js";
import { itemFormats, type ResponseFormats, responseFormats } from "./output/formats.js";
import { renderQrCode } from "./output/lists.js";
import { createProgress, type Progress } from "./output/progress.js";
import { createRenderer, renderOne } from "./output/render.js";
import type { ItemResult, Rendered, RenderOptions, ResultOptions } from "./output/results.js";
import type { OutputStream } from "./output/sinks.js";
import { StreamError } from "./stream-error.js";

/** The process that a command runs in. */
export interface ProcessContext {
  /** All message types, for the content of `google.protobuf.Any`. */
  readonly registry: Registry;
  readonly env: Environment;
  readonly input: InputStream;
  readonly out: OutputStream;
  readonly err: OutputStream;
  /** Asks the user for a secret. */
  readonly ask: (prompt: string) => Promise<string>;
  /** Loads a service into this process. */
  readonly openLocal: typeof openLocalService;
  /** Starts another thread for long lists; undefined: there is none. */
  readonly startThread?: (...args: Parameters<typeof startSecondThread>) => Promise<SecondThread>;
  /** Set in such a thread: renders the batches that it receives, instead of those of the input. */
  readonly serveBatches?: (render: (batch: InputBatch) => Promise<Rendered>) => Promise<never>;
}

/** The flags of tool commands, besides those of their methods. */
export interface CommonFlags extends RemoteFlags {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly column?: string;
  readonly fields?: string;
  readonly file?: string;
  readonly secretFile?: string;
  readonly code?: string;
  readonly output?: string;
  readonly all?: boolean;
  readonly summary?: boolean;
  readonly find?: boolean;
  readonly pick?: string;
  readonly onlyResults?: boolean;
  readonly allErrors?: boolean;
  /** False with `--no-progress`. */
  readonly progress: boolean;
}

/** A command with its arguments, ready to run. */
export interface CommandRun extends ResultOptions {
  readonly context: ProcessContext;
  readonly flags: CommonFlags;
  /** Standard input, or the file in its place. */
  readonly input: InputStream;
  readonly out: OutputStream;
  readonly call: MethodCaller;
  readonly build: BuildRequest;
  readonly isRemote: boolean;
  /** The work on a list, if a second thread can share it. */
  readonly shared: Sharing | undefined;
  /** Whether no flag sets a field of the request. */
  readonly hasDefaults: boolean;
}

type SingleOperand = Exclude<Operands, { readonly kind: "many" }>;

/** Makes one call and writes the response. */
export async function runOne(run: CommandRun, operands: SingleOperand): Promise<ExitStatus> {
  const { command, context, call, out, width, format } = run;
  const text = await readText(run, operands);
  const method = operands.kind === "none" ? (command.withoutOperand ?? command.method) : command.method;
  try {
    const request = method === command.method ? run.build(text) : {};
    const message = await call(method, request);
    if (run.flags.code !== undefined) {
      return await writeCheck(run, checkCode(command, run.flags.code, message));
    }
    const formats = responseFormats(method, context.registry, command.value);
    const bytes = format === "text" ? formats.bytes?.(message) : undefined;
    if (bytes !== undefined && width !== undefined) {
      const drawn = run.hasDefaults ? renderQrCode(request, command.qrCode, width, run.style) : [];
      if (drawn.length > 0) {
        await out.sink.write(drawn.join("\n"));
        return EXIT.ok;
      }
      if (!isText(bytes.contentType)) {
        const hint = `a terminal cannot show ${bytes.contentType}: write it to a file with --output FILE or > FILE`;
        await context.err.sink.write(errorLine(command.name, hint, run.errStyle));
        return EXIT.usage;
      }
    }
    await out.sink.write(bytes?.data ?? renderOne(message, text ?? "", { ...run, formats }));
    if (isEmptyList(formats, message)) {
      await context.err.sink.write(nothingFound(run));
      return EXIT.invalidInput;
    }
    return EXIT.ok;
  } catch (thrown) {
    if (thrown instanceof StreamError) {
      throw thrown;
    }
    const failure = callFailure(thrown, command.operand?.name, command.uriOperand?.name);
    const status = exitStatusOf(failure.code);
    // A service that cannot be reached is not the fault of the input.
    const isAboutInput = text !== undefined && status === EXIT.invalidInput;
    await writeFailure(run, failure, isAboutInput ? text : undefined);
    return status;
  }
}

/** Whether a response is a list without elements. */
function isEmptyList({ element, json }: ResponseFormats, message: MessageInit): boolean {
  return element !== undefined && json(message) === "[]";
}

/** What is said if no input finds anything. JSON shows that itself. */
function nothingFound({ command, format, errStyle }: CommandRun): string {
  return format === "json" ? "" : errorLine(command.name, "nothing found", errStyle);
}

/** The text of a single operand; undefined without one. */
async function readText(
  { command, context, input }: CommandRun,
  operands: SingleOperand,
): Promise<string | undefined> {
  switch (operands.kind) {
    case "none":
      return undefined;
    case "one":
      return operands.text;
    case "ask":
      return context.ask(`${command.operand?.name ?? "input"}: `);
    case "whole_input": {
      const text = await readWholeInput(input);
      if (!operands.isFile && text.includes("\n")) {
        throw new StreamError(
          "standard input has several lines, and the output is one: --file FILE encodes a text with line breaks, '--file -' " +
            "that of standard input",
          EXIT.usage,
        );
      }
      return text;
    }
  }
}

/** Writes whether a response agrees with what the user gave. */
async function writeCheck(run: CommandRun, { isValid, text, json }: CheckResult): Promise<ExitStatus> {
  const { command, context, out, format, errStyle } = run;
  if (format === "json") {
    await out.sink.write(`${json}\n`);
  } else if (isValid) {
    await out.sink.write(`${text}\n`);
  } else {
    await context.err.sink.write(errorLine(command.name, text, errStyle));
  }
  return isValid ? EXIT.ok : EXIT.invalidInput;
}

/** Whether the bytes of a media type can be shown on a terminal. */
function isText(contentType: string): boolean {
  return /^text\/|[/+](?:xml|json)\b/.test(contentType);
}

/** Writes the failure of a call to standard error. */
async function writeFailure(run: CommandRun, failure: CallFailure, input?: string): Promise<void> {
  const { command, context, format, errStyle, subjectOf, hintOf } = run;
  const subject = input === undefined ? undefined : subjectOf(input);
  const hint = input === undefined ? "" : hintOf(input);
  await context.err.sink.write(
    format === "json"
      ? errorJson(failure, subject)
      : errorLine(command.name, failure.message + hint, errStyle, namedSubject(failure, subject)),
  );
}

/** The limit of concurrent calls of a running service. */
const REMOTE_CALLS = 4;

/** Bytes of a request that are reserved for what surrounds its items. */
const SPARE_BYTES = 1024;

/**
 * Processes many inputs in their order while they are read. Reads ahead a few batches at most and waits for the reader of the
 * output. Stops at the first call that fails as a whole.
 */
export async function runMany(run: CommandRun, operands: readonly string[]): Promise<ExitStatus> {
  const { command, context, flags, format, input, build, out, isRemote, shared } = run;
  const { err } = context;
  const { batch, operand } = command;
  const progress = progressOf(run);
  const call = waitingForLimits(run.call, async (ms) => {
    progress?.wait(ms);
    await sleep(ms);
  });
  const process = createProcessor(command, call, build);
  const options: RenderOptions = { ...run, formats: itemFormats(command, context.registry), inputs: "many" };
  const renderer = flags.summary ? createCounts(options) : createRenderer(options);
  if (context.serveBatches !== undefined) {
    return context.serveBatches(async (each) => renderer.render(each, await process(each.items)));
  }
  // A line does not fit in a table.
  const isOnlyResults = flags.onlyResults === true || (run.width !== undefined && format === "text");
  const pick = PICKS.find((each) => each === flags.pick) ?? "client";
  const finder = createFinder(command, { pick, isOnlyResults }, flags.find === true);
  const isEmpty = (result: ItemResult) =>
    result.kind === "response" && isEmptyList(options.formats, result.message);
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of input.chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  let [done, failed, empty] = [0, 0, 0];
  const errors = createErrorLog(flags.allErrors === true, command.name, run.errStyle);
  const isCsv = format === "csv" && operand !== undefined;
  const decoded = decodeInput(counted(), finder !== undefined && !isCsv);
  const write = async (text: string): Promise<void> => {
    if (text !== "") {
      await out.sink.write((isCsv ? decoded.encode() : undefined)?.(text) ?? text);
    }
  };
  const report = async (text: string): Promise<void> => {
    if (text !== "") {
      progress?.clear();
      await err.sink.write(text);
    }
  };
  try {
    const batches = readInputs(operands, decoded.chunks, {
      limits: batch
        ? { maxItems: batch.maxItems, maxBytes: batch.maxBytes - SPARE_BYTES }
        : { maxItems: 1, maxBytes: Number.POSITIVE_INFINITY },
      finder,
      isOnlyResults,
      ...(isCsv && {
        csv: { operand: operand.name, column: flags.column, hasOnlyReturns: decoded.hasOnlyReturns },
      }),
    });
    const limit = isRemote ? REMOTE_CALLS : shared === undefined ? 1 : SHARED_BATCHES;
    const outputs = mapInOrder(batches, limit, async (each) => {
      const processed = () => process(each.items);
      const output =
        shared === undefined ? { results: await processed() } : await shared.run(each, processed);
      return { batch: each, ...output };
    });
    for await (const each of outputs) {
      const rendered = "rendered" in each ? each.rendered : renderer.render(each.batch, each.results);
      await write(rendered.out);
      await report(errors.add(rendered.errors));
      failed += rendered.failed;
      done += each.batch.items.length;
      empty += "results" in each ? each.results.filter(isEmpty).length : 0;
      progress?.update(done, bytes);
    }
    await write(renderer.end());
    await report(errors.end() + (format === "json" ? "" : findNotes(run, finder?.counts)));
    const isStream = operands.includes(STANDARD_INPUT);
    const needsTotal = flags.summary || isStream || run.hasErrorColumn || errors.hidden() > 0;
    if (failed > 0 && needsTotal && !renderer.hasFailures) {
      const text = `${failed.toLocaleString("en")} of ${countOf(done, isStream ? "line" : "input")} failed`;
      const hint =
        errors.hidden() > 0 ? `; --all-errors writes ${countOf(errors.hidden(), "more error")}` : "";
      await report(errorLine(command.name, text + hint, run.errStyle));
    }
    const isNothingFound = done > 0 && (finder?.counts.without === done || empty === done);
    if (isNothingFound && empty > 0) {
      await report(nothingFound(run));
    }
    return failed === 0 && !isNothingFound ? EXIT.ok : EXIT.invalidInput;
  } catch (thrown) {
    if (thrown instanceof StreamError) {
      throw thrown;
    }
    const failure = callFailure(thrown);
    const message =
      done === 0 ? failure.message : `stopped after ${countOf(done, "input")}: ${failure.message}`;
    progress?.clear();
    await writeFailure(run, { ...failure, message });
    return exitStatusOf(failure.code);
  } finally {
    progress?.clear();
    shared?.end();
  }
}

/**
 * Shares a list with a second thread, unless the process has one core, or the rows of a table depend on those before.
 *
 * @param sharedFiles returns the data files in a memory that both threads use
 */
export function sharingOf(
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

/** What is said of lines without an input, and of those that are ignored. */
function findNotes({ command, errStyle }: CommandRun, counts: Partial<FindCounts> = {}): string {
  const { without = 0, firstWithout = 0, comments = 0, empty = 0 } = counts;
  const ignored = [
    ...(comments > 0 ? [`${countOf(comments, "line")} with #`] : []),
    ...(empty > 0 && without + comments > 0 ? [countOf(empty, "empty line")] : []),
  ];
  const notes = [
    ...(without > 0 ? [`${countOf(without, "line")} without an address, first: line ${firstWithout}`] : []),
    ...(ignored.length > 0 ? [`ignored: ${ignored.join(", ")}`] : []),
  ];
  return notes.map((note) => errorLine(command.name, note, errStyle)).join("");
}

/** Returns the progress of a list; undefined if it would be among the results, or is not wanted. */
function progressOf({ context: { err }, flags, input, out, errStyle }: CommandRun): Progress | undefined {
  if (!err.isTerminal || out.isTerminal || input.isTerminal || !flags.progress) {
    return undefined;
  }
  return createProgress({
    write: (text) => void err.sink.write(text).catch(() => {}),
    now: () => performance.now(),
    size: input.size,
    width: err.width ?? 80,
    style: errStyle,
  });
}
