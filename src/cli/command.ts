import type { DescField, DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { Flag } from "./flag.js";

/** A command of the program that is a method of a service. */
export interface ToolCommand {
  /** What it is called by, words parted by one space: `otp generate`. */
  readonly name: string;
  readonly method: DescMethodUnary;
  /** The field that arguments fill which belong to no flag; undefined: it takes none. */
  readonly operand: DescField | undefined;
  /** What takes many operands at once; undefined: each has a call of its own. */
  readonly batch: Batch | undefined;
  /** What is called where there is no operand; undefined: operands are then read from standard input. */
  readonly withoutOperand: DescMethodUnary | undefined;
  /**
   * The string field that a terminal shows as a QR code: one of the answer, or of the request in the place of an image;
   * undefined: none.
   */
  readonly qrCode: DescField | undefined;
  /** The field of the answer with the seconds after which it changes; undefined: it does not. */
  readonly period: DescField | undefined;
  /** Whether it means nothing without a running service. */
  readonly needsService: boolean;
  /** The fields of the request beside the operand, each by its flag. */
  readonly fields: ReadonlyMap<Flag, DescField>;
}

/** A method that takes many operands, and where its messages have them. */
export interface Batch {
  readonly method: DescMethodUnary;
  /** The field of the request that has the operands. */
  readonly items: DescField;
  /** The most operands that it takes at once. */
  readonly maxItems: number;
  /** The most octets that a request may have. */
  readonly maxBytes: number;
  /** The field of the answer that has what came of each. */
  readonly results: DescField;
  /** The type of such an element, */
  readonly result: DescMessage;
  /** and its fields: the answer, and the error in the place of one. */
  readonly answer: DescField;
  readonly error: DescField;
}
