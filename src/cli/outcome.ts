import type { MessageInit } from "connect-transcoding/codec";
import type { CallFailure } from "./call-failure.js";
import type { InputChunk } from "./read-inputs.js";

/** What came of one input. */
export type Outcome =
  | { readonly kind: "answer"; readonly message: MessageInit }
  | { readonly kind: "failure"; readonly failure: CallFailure };

/** Some inputs with what came of each, in the same order. */
export interface AnsweredChunk extends InputChunk {
  readonly outcomes: readonly Outcome[];
}
