import { Code, type ConnectError, type HandlerContext } from "@connectrpc/connect";
import { createError, invalidArgument, runInTurns } from "connect-transcoding";
import { quotaKey } from "connect-transcoding-operations/access/quota";
import { MAX_BATCH_ITEMS } from "../config/batch-limit.js";
import type { Failure, Result } from "../failures/result.js";

/** The number of characters between two looks at the clock. An e-mail address of so many takes 0.3 ms at most. */
const STEP_CHARACTERS = 128;

/** How failures of one input become errors. */
export interface InputErrors {
  /** The field of the request that holds the input, as the proto file names it. */
  readonly field: string;
  /** The codes of failures that do not make the input invalid. All others are violations of `field`. */
  readonly codes?: Readonly<Record<string, Code>>;
}

/** Creates the error for a failure of one input: `INVALID_ARGUMENT`, unless the reason has another code. */
export function inputError(
  { reason, description, metadata = {} }: Failure,
  { field, codes = {} }: InputErrors,
): ConnectError {
  const code = codes[reason];
  return code === undefined
    ? invalidArgument([{ field, reason, description }])
    : createError({ code, reason, message: description, metadata });
}

/** The options of {@link singleAndBatch}. */
export interface SingleAndBatchOptions<T> extends InputErrors {
  /** The field of the batch request that holds the inputs, as the proto file names it. */
  readonly batchField: string;
  /** Returns the response for one input. */
  readonly run: (input: string) => Result<T, Failure>;
}

/** The response to a batch: one result for each input, in the same order. */
export interface BatchResponse<T> {
  readonly results: BatchResult<T>[];
}

/** The result of one input of a batch: its response, or a `utilitytools.v1.ItemError`. */
interface BatchResult<T> {
  readonly input: string;
  readonly outcome:
    | { readonly case: "answer"; readonly value: T }
    | { readonly case: "error"; readonly value: ItemError };
}

/** The fields of a `utilitytools.v1.ItemError`. */
interface ItemError {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly metadata: Record<string, string>;
}

/**
 * Makes two methods of one function: one that takes an input, and one that takes many.
 *
 * `single` returns the response, or throws the error of {@link inputError}. `batch` returns one result per input in the
 * same order, with the same codes and reasons; it throws `INVALID_ARGUMENT` for no inputs, and for more than
 * {@link MAX_BATCH_ITEMS} or the rate limit of a window. Each input counts once for the rate limit. https://google.aip.dev/231
 */
export function singleAndBatch<T>({ field, batchField, codes = {}, run }: SingleAndBatchOptions<T>): {
  readonly single: (input: string) => T;
  readonly batch: (
    inputs: readonly string[],
    context: HandlerContext,
  ) => BatchResponse<T> | Promise<BatchResponse<T>>;
} {
  const itemError = ({ reason, description, metadata }: Failure): ItemError => ({
    // The numbers of connect's codes are those of google.rpc.Code.
    code: codes[reason] ?? Code.InvalidArgument,
    reason,
    message: description,
    metadata: { ...metadata },
  });
  function resultOf(input: string): BatchResult<T> {
    const result = run(input);
    return {
      input,
      outcome: result.ok
        ? { case: "answer", value: result.value }
        : { case: "error", value: itemError(result.failure) },
    };
  }
  return {
    single(input) {
      const result = run(input);
      if (!result.ok) {
        throw inputError(result.failure, { field, codes });
      }
      return result.value;
    },
    batch(inputs, context) {
      if (inputs.length === 0) {
        const description = "must have at least one item";
        throw invalidArgument([{ field: batchField, reason: "REQUIRED", description }]);
      }
      if (inputs.length > MAX_BATCH_ITEMS) {
        const description = `must have at most ${MAX_BATCH_ITEMS} items, has ${inputs.length}`;
        throw invalidArgument([{ field: batchField, reason: "TOO_MANY_ITEMS", description }]);
      }
      const { limit, charge } = context.values.get(quotaKey);
      if (inputs.length > limit) {
        const description = `must have at most ${limit} items under the rate limit, has ${inputs.length}`;
        throw invalidArgument([{ field: batchField, reason: "TOO_MANY_ITEMS", description }]);
      }
      const runAll = () =>
        runInTurns(context, function* () {
          const results: BatchResult<T>[] = [];
          let characters = 0;
          for (const input of inputs) {
            results.push(resultOf(input));
            characters += input.length;
            if (characters >= STEP_CHARACTERS) {
              characters = 0;
              yield;
            }
          }
          return { results };
        });
      // The request has been counted already.
      const charged = charge(inputs.length - 1);
      return charged === undefined ? runAll() : charged.then(runAll);
    },
  };
}
