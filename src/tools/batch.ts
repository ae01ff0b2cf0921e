import { invalidArgument, type RpcErrorInit } from "connect-transcoding";
import type { Result } from "../result.js";

/** The most items that a batch takes. */
export const MAX_BATCH_ITEMS = 1000;

/** What came of one item: its answer, or a `utilitytools.v1.ItemError`. */
export interface ItemOutcome<A> {
  readonly input: string;
  readonly outcome:
    | { readonly case: "answer"; readonly value: A }
    | { readonly case: "error"; readonly value: ReturnType<typeof itemError> };
}

/**
 * What each item of a batch comes to, in the order of the items: `answer` says it for one, as it does for the call of a
 * single item. Throws `INVALID_ARGUMENT` for no items and for more than {@link MAX_BATCH_ITEMS}; `field` is the
 * request's field that has them, by its proto name.
 * https://google.aip.dev/231
 */
export function answerEach<A>(
  field: string,
  inputs: readonly string[],
  answer: (input: string) => Result<A, RpcErrorInit>,
): ItemOutcome<A>[] {
  if (inputs.length === 0) {
    throw invalidArgument([{ field, reason: "REQUIRED", description: "at least one item is required" }]);
  }
  if (inputs.length > MAX_BATCH_ITEMS) {
    const description = `at most ${MAX_BATCH_ITEMS} items are allowed, and there are ${inputs.length}`;
    throw invalidArgument([{ field, reason: "TOO_MANY_ITEMS", description }]);
  }
  return inputs.map((input) => {
    const result = answer(input);
    return {
      input,
      outcome: result.ok
        ? { case: "answer", value: result.value }
        : { case: "error", value: itemError(result.failure) },
    };
  });
}

/** An item is one value: what is wrong with it is the one violation, of a field that the batch does not have. */
function itemError({ code, reason, message, violations = [], metadata = {} }: RpcErrorInit) {
  const [violation] = violations;
  return {
    // The codes of Connect are those of google.rpc.Code.
    code: code as number,
    reason: violation?.reason ?? reason,
    message: violation?.description ?? message,
    metadata: { ...metadata },
  };
}
