import type { Registry } from "@bufbuild/protobuf";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import type { Environment } from "../service/config/read-config.js";
import type { MethodCaller } from "./calls.js";
import type { Batch, BuildRequest, ToolCommand } from "./commands.js";
import {
  type CallFailure,
  callFailure,
  type ErrorSubject,
  EXIT,
  type ExitStatus,
  errorJson,
  errorLine,
  exitStatusOf,
} from "./failures.js";
import {
  type BatchLimits,
  InputError,
  type InputItem,
  type InputStream,
  type Operands,
  readInputs,
  readWholeInput,
} from "./input.js";
import { mapInOrder } from "./map-in-order.js";
import { type OutputStream, SinkError } from "./output.js";
import {
  createRenderer,
  type ItemResult,
  itemFormats,
  renderOne,
  renderQrCode,
  responseFormats,
} from "./render.js";
import { createProgress, type Progress, type Style } from "./terminal.js";

/** The process that a command runs in. */
export interface ProcessContext {
  /** All message types, for the content of `google.protobuf.Any`. */
  readonly registry: Registry;
  readonly env: Environment;
  readonly input: InputStream;
  readonly out: OutputStream;
  readonly err: OutputStream;
}

/** A command with its arguments, ready to run. */
export interface CommandRun {
  readonly command: ToolCommand;
  readonly context: ProcessContext;
  readonly call: MethodCaller;
  readonly build: BuildRequest;
  readonly isRemote: boolean;
  readonly isJson: boolean;
  readonly showsProgress: boolean;
  /** Whether no flag sets a field of the request. */
  readonly hasDefaults: boolean;
  readonly out: OutputStream;
  /** Columns of the terminal that shows the output; undefined: it is not a terminal. */
  readonly width: number | undefined;
  readonly style: Style;
  readonly errStyle: Style;
  /** The subject of an error about an input. Secrets are not repeated. */
  readonly subjectOf: (input: string) => ErrorSubject;
}

/** Whether an exception is about a stream or file rather than a call. */
export function isStreamError(thrown: unknown): thrown is SinkError | InputError {
  return thrown instanceof SinkError || thrown instanceof InputError;
}

/** Makes one call and writes the response. */
export async function runOne(
  run: CommandRun,
  operands: Exclude<Operands, { kind: "many" }>,
): Promise<ExitStatus> {
  const { command, context, call, out, width, isJson } = run;
  const text =
    operands.kind === "one"
      ? operands.text
      : operands.kind === "whole_input"
        ? await readWholeInput(context.input.chunks)
        : undefined;
  const method = operands.kind === "none" ? (command.withoutOperand ?? command.method) : command.method;
  try {
    const request = method === command.method ? run.build(text) : {};
    const message = await call(method, request);
    const formats = responseFormats(method, context.registry);
    const bytes = isJson ? undefined : formats.bytes?.(message);
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
    await out.sink.write(renderOne(message, formats, run));
    return EXIT.ok;
  } catch (thrown) {
    if (isStreamError(thrown)) {
      throw thrown;
    }
    const failure = callFailure(thrown, command.operand?.name);
    const status = exitStatusOf(failure.code);
    // A service that cannot be reached is not the fault of the input.
    const isAboutInput = text !== undefined && status === EXIT.invalidInput;
    await writeFailure(run, failure, isAboutInput ? run.subjectOf(text) : undefined);
    return status;
  }
}

/** Whether the bytes of a media type can be shown on a terminal. */
function isText(contentType: string): boolean {
  return /^text\/|[/+](?:xml|json)\b/.test(contentType);
}

/** Writes the failure of a call to standard error. */
async function writeFailure(
  { command, context, isJson, errStyle }: CommandRun,
  failure: CallFailure,
  subject?: ErrorSubject,
): Promise<void> {
  await context.err.sink.write(
    isJson ? errorJson(failure, subject) : errorLine(command.name, failure.message, errStyle, subject),
  );
}

/** The limit of concurrent calls of a running service. */
const REMOTE_CALLS = 4;

/** The limits without a batch method: each input is a separate call. */
const ONE_BY_ONE: BatchLimits = { maxItems: 1, maxBytes: Number.POSITIVE_INFINITY };

/** Bytes of a request that are reserved for what surrounds its items. */
const SPARE_BYTES = 1024;

/**
 * Processes many inputs in their order while they are read. Reads ahead a few batches at most and waits for the reader of the
 * output. Stops at the first call that fails as a whole.
 */
export async function runMany(run: CommandRun, operands: readonly string[]): Promise<ExitStatus> {
  const { command, context, call, build, out } = run;
  const { input, err } = context;
  const { batch } = command;
  const process = batch === undefined ? oneByOne(command, call, build) : byBatch(command, batch, call, build);
  const limits = batch && { maxItems: batch.maxItems, maxBytes: batch.maxBytes - SPARE_BYTES };
  const render = createRenderer({ ...run, formats: itemFormats(command, context.registry) });
  const progress = run.showsProgress ? progressOf(run) : undefined;
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of input.chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  let [done, failed] = [0, 0];
  try {
    const batches = readInputs(operands, counted(), limits ?? ONE_BY_ONE);
    const results = mapInOrder(batches, run.isRemote ? REMOTE_CALLS : 1, async (items) => ({
      items,
      results: await process(items),
    }));
    for await (const each of results) {
      const rendered = render(each.items, each.results);
      if (rendered.out !== "") {
        await out.sink.write(rendered.out);
      }
      if (rendered.err !== "") {
        progress?.clear();
        await err.sink.write(rendered.err);
      }
      failed += rendered.failed;
      done += each.items.length;
      progress?.update(done, bytes);
    }
    return failed === 0 ? EXIT.ok : EXIT.invalidInput;
  } catch (thrown) {
    if (isStreamError(thrown)) {
      throw thrown;
    }
    const failure = callFailure(thrown, undefined);
    const message = done === 0 ? failure.message : `stopped after ${done} inputs: ${failure.message}`;
    progress?.clear();
    await writeFailure(run, { ...failure, message });
    return exitStatusOf(failure.code);
  } finally {
    progress?.clear();
  }
}

function progressOf({ context: { input, err }, errStyle }: CommandRun): Progress {
  return createProgress({
    write: (text) => void err.sink.write(text).catch(() => {}),
    now: () => performance.now(),
    size: input.size,
    width: err.width ?? 80,
    style: errStyle,
  });
}

/** Returns one result per input. Throws the error of a call that no single input has caused. */
type ProcessBatch = (items: readonly InputItem[]) => Promise<readonly ItemResult[]>;

/** Processes each batch with one call of the batch method. The flags apply to every item. */
function byBatch(
  { fields }: ToolCommand,
  { method, items, ...batch }: Batch,
  call: MethodCaller,
  build: BuildRequest,
): ProcessBatch {
  const [results, answer, error] = [batch.results, batch.answer, batch.error].map(placeOf);
  if (results === undefined || answer === undefined || error === undefined) {
    throw new Error(`${method.name} is not a batch method`);
  }
  const flags = new Map(Object.entries(build(undefined)));
  const common = Object.fromEntries(fields.map(({ localName }) => [localName, flags.get(localName)]));
  return async (inputs) => {
    const texts = inputs.filter(({ rejected }) => rejected === undefined).map(({ text }) => text);
    const response = texts.length === 0 ? {} : await call(method, { ...common, [items.localName]: texts });
    const given = (readField(results, response) ?? []) as readonly MessageInit[];
    // A missing result would shift all results after it.
    if (given.length !== texts.length) {
      throw new Error(`${method.name} returned ${given.length} results for ${texts.length} items`);
    }
    let next = 0;
    return inputs.map(({ rejected }): ItemResult => {
      if (rejected !== undefined) {
        return { kind: "failure", failure: rejected };
      }
      const result = given[next++] ?? {};
      const failure = readField(error, result);
      return failure === undefined
        ? { kind: "response", message: (readField(answer, result) ?? {}) as MessageInit }
        : // deriveCommands has checked that the error of an item has these fields.
          { kind: "failure", failure: failure as CallFailure };
    });
  };
}

/** Processes each input with a call of its own. */
function oneByOne({ method, operand }: ToolCommand, call: MethodCaller, build: BuildRequest): ProcessBatch {
  const processOne = async ({ text, rejected }: InputItem): Promise<ItemResult> => {
    if (rejected !== undefined) {
      return { kind: "failure", failure: rejected };
    }
    try {
      return { kind: "response", message: await call(method, build(text)) };
    } catch (thrown) {
      const failure = callFailure(thrown, operand?.name);
      if (exitStatusOf(failure.code) !== EXIT.invalidInput) {
        throw thrown;
      }
      return { kind: "failure", failure };
    }
  };
  return async (items) => {
    const results: ItemResult[] = [];
    for (const item of items) {
      results.push(await processOne(item));
    }
    return results;
  };
}
