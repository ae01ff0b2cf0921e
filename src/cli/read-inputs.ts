import { type CallFailure, invalidInput } from "./call-failure.js";
import { type Line, lineSplitter } from "./line-splitter.js";

/** Some inputs, in the order in which they were given. */
export interface InputChunk {
  readonly inputs: readonly Input[];
}

/** An input, or why it is none that could be asked about. */
export interface Input {
  /** As it was given; of one that cannot be used, its beginning. */
  readonly text: string;
  readonly refused?: CallFailure;
}

/** How many inputs go into one chunk. */
export interface ChunkLimits {
  readonly maxItems: number;
  /** The most octets of a request that has them all. */
  readonly maxBytes: number;
}

/** The operand that stands for standard input. */
export const STANDARD_INPUT = "-";

/** The longest line of standard input, in octets: many times what any tool takes. */
const MAX_LINE_OCTETS = 16 * 1024;

/** Octets that an input takes in a request beside its own: tag and length. */
const FRAMING_OCTETS = 6;

/**
 * The inputs that operands name: each is one, and `-` stands for the lines of standard input. Those of a piece of standard
 * input come as soon as it has been read, however few.
 */
export async function* readInputs(
  operands: readonly string[],
  stdin: AsyncIterable<Buffer>,
  limits: ChunkLimits,
): AsyncGenerator<InputChunk> {
  let given: Input[] = [];
  for (const operand of operands) {
    if (operand !== STANDARD_INPUT) {
      given.push({ text: operand });
      continue;
    }
    yield* inChunks(given, limits);
    given = [];
    const splitter = lineSplitter(MAX_LINE_OCTETS);
    for await (const piece of stdin) {
      yield* inChunks(splitter.push(piece).map(inputOf), limits);
    }
    yield* inChunks(splitter.end().map(inputOf), limits);
  }
  yield* inChunks(given, limits);
}

function inputOf(line: Line): Input {
  switch (line.kind) {
    case "text":
      return line;
    case "not_utf8":
      return { text: line.start, refused: invalidInput("MALFORMED_UTF8", "is not UTF-8") };
    case "too_long":
      return {
        text: line.start,
        refused: invalidInput("LINE_TOO_LONG", `has more than ${MAX_LINE_OCTETS} octets`),
      };
  }
}

function* inChunks(inputs: readonly Input[], { maxItems, maxBytes }: ChunkLimits): Generator<InputChunk> {
  let start = 0;
  let octets = 0;
  for (const [index, { text }] of inputs.entries()) {
    const added = Buffer.byteLength(text) + FRAMING_OCTETS;
    if (index > start && (index - start === maxItems || octets + added > maxBytes)) {
      yield { inputs: inputs.slice(start, index) };
      start = index;
      octets = 0;
    }
    octets += added;
  }
  if (start < inputs.length) {
    yield { inputs: inputs.slice(start) };
  }
}
