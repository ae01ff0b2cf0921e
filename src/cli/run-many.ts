import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { PICKS } from "../text/find-address.js";
import { createProcessor, waitingForLimits } from "./calls/batches.js";
import { takesSecret } from "./commands.js";
import { callFailure, errorLine } from "./failures.js";
import { decodeInput } from "./input/decode.js";
import { createFinder, type FindCounts } from "./input/finder.js";
import { readInputs } from "./input/items.js";
import { STANDARD_INPUT } from "./input/operands.js";
import { mapInOrder } from "./lists/map-in-order.js";
import { SHARED_BATCHES } from "./lists/sharing.js";
import { countOf, createCounts } from "./output/counts.js";
import { createErrorLog } from "./output/error-log.js";
import { itemFormats } from "./output/formats.js";
import { createProgress, type Progress } from "./output/progress.js";
import { createRenderer } from "./output/render.js";
import type { ItemResult, RenderOptions } from "./output/results.js";
import { type CommandRun, isEmptyList, nothingFound, writeFailure } from "./run.js";
import { StreamError } from "./stream-error.js";

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
      hasSecrets: takesSecret(command),
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
    const failure = callFailure(thrown, command);
    const message =
      done === 0 ? failure.message : `stopped after ${countOf(done, "input")}: ${failure.message}`;
    progress?.clear();
    return await writeFailure(run, { ...failure, message });
  } finally {
    progress?.clear();
    shared?.end();
  }
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
