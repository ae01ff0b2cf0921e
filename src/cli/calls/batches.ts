import { Code } from "@connectrpc/connect";
import { readError } from "@utility-tools/client";
import { type MessageInit, placeOf, readField } from "connect-transcoding/codec";
import { EXIT } from "../../failures/exit-status.js";
import type { Batch, BuildRequest, ToolCommand } from "../commands.js";
import { type CallFailure, callFailure } from "../failures.js";
import type { InputItem } from "../input/lines.js";
import type { ItemResult } from "../output/results.js";
import type { MethodCaller } from "./calls.js";

/** Returns one result per input. Throws the error of a call that no single input has caused. */
export type ProcessBatch = (items: readonly InputItem[]) => Promise<readonly ItemResult[]>;

/** Creates the function that processes the inputs of a command, with its batch method if it has one. */
export function createProcessor(command: ToolCommand, call: MethodCaller, build: BuildRequest): ProcessBatch {
  return command.batch === undefined
    ? oneByOne(command, call, build)
    : byBatch(command, command.batch, call, build);
}

/** Processes each batch with calls of the batch method. The flags apply to every item. */
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
  const callOnce = async (texts: readonly string[]): Promise<readonly MessageInit[]> => {
    const response = await call(method, { ...common, [items.localName]: texts });
    const given = (readField(results, response) ?? []) as readonly MessageInit[];
    // A missing result would shift all results after it.
    if (given.length !== texts.length) {
      throw new Error(`${method.name} returned ${given.length} results for ${texts.length} items`);
    }
    return given;
  };
  const callAll = inAllowedBatches(callOnce, batch.maxItems);
  return async (inputs) => {
    const texts = inputs.filter(({ rejected }) => rejected === undefined).map(({ text }) => text);
    const given = await callAll(texts);
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

type CallItems = (texts: readonly string[]) => Promise<readonly MessageInit[]>;

/**
 * Splits batches that a service rejects because its rate limit allows fewer items. The size is halved until a batch is accepted, and
 * later batches have this size.
 */
function inAllowedBatches(callOnce: CallItems, maxItems: number): CallItems {
  let allowed = maxItems;
  return async (texts) => {
    const results: MessageInit[] = [];
    while (results.length < texts.length) {
      const part = texts.slice(results.length, results.length + allowed);
      try {
        results.push(...(await callOnce(part)));
      } catch (thrown) {
        const isTooLong = readError(thrown).violations.some(({ reason }) => reason === "TOO_MANY_ITEMS");
        if (!isTooLong || part.length === 1) {
          throw thrown;
        }
        allowed = Math.min(allowed, Math.ceil(part.length / 2));
      }
    }
    return results;
  };
}

/** Processes each input with a call of its own. */
function oneByOne(command: ToolCommand, call: MethodCaller, build: BuildRequest): ProcessBatch {
  const processOne = async ({ text, rejected }: InputItem): Promise<ItemResult> => {
    if (rejected !== undefined) {
      return { kind: "failure", failure: rejected };
    }
    try {
      return { kind: "response", message: await call(command.method, build(text)) };
    } catch (thrown) {
      const failure = callFailure(thrown, command);
      if (failure.status !== EXIT.invalidInput) {
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

/** The longest time to wait for a rate limit, in milliseconds, and how often a call waits. */
const MAX_WAIT = 5 * 60_000;
const MAX_WAITS = 10;

/**
 * Repeats calls that a rate limit rejects, after the time that the service asks for. Longer waits than five minutes, and more than
 * ten of one call, end with the error of the limit.
 *
 * @param wait called with milliseconds; resolves after that time
 */
export function waitingForLimits(call: MethodCaller, wait: (ms: number) => Promise<void>): MethodCaller {
  return async (method, request) => {
    for (let waits = 0; ; waits++) {
      try {
        return await call(method, request);
      } catch (thrown) {
        const { code, retryAfter } = readError(thrown);
        const isLimit = code === Code.ResourceExhausted && retryAfter !== undefined;
        if (!isLimit || retryAfter > MAX_WAIT || waits === MAX_WAITS) {
          throw thrown;
        }
        await wait(retryAfter);
      }
    }
  };
}
