import { Code, ConnectError } from "@connectrpc/connect";
import { trimField } from "@utility-tools/http-server/portable";
import { compressions } from "#platform";
import { messageTooLarge } from "../errors/errors.js";
import { unknownCompression } from "../errors/http-error.js";
import { type Compression, InflateError, type InflateProblem } from "../platform/platform.js";

/** A compression of messages, with the interface of connect-es's `Compression`. */
export interface Coding {
  readonly name: string;
  compress(bytes: Uint8Array): Promise<Uint8Array>;
  /** Throws or rejects with a ConnectError for malformed bytes, and for more than `limit` bytes before it has inflated them. */
  decompress(bytes: Uint8Array, limit: number): Uint8Array | Promise<Uint8Array>;
}

/** The compressions that a server has by default. */
export const CODINGS: readonly Coding[] = compressions.map((compression) => ({
  name: compression.name,
  compress: compression.compress,
  decompress: (bytes, limit) =>
    inflateWithin(compression, bytes, limit, (problem) =>
      problem === undefined
        ? messageTooLarge(limit)
        : new ConnectError(`the message ${problem}`, Code.InvalidArgument),
    ),
}));

/** What is wrong with compressed data, with the name of the compression. */
const PROBLEMS: Readonly<Record<InflateProblem, (name: string) => string>> = {
  "other format": (name) => `is not compressed with ${name}`,
  incomplete: (name) => `ends within its ${name} data`,
  "trailing data": (name) => `has other data after its ${name} data`,
  damaged: (name) => `has damaged ${name} data`,
};

/** Inflates bytes. Throws or rejects with what `toError` returns for a problem in words, undefined for more than `limit` bytes. */
export function inflateWithin(
  { name, decompress }: Compression,
  bytes: Uint8Array,
  limit: number,
  toError: (problem: string | undefined) => ConnectError,
): Uint8Array | Promise<Uint8Array> {
  const fail = (thrown: unknown): never => {
    throw toError(
      thrown instanceof RangeError
        ? undefined
        : PROBLEMS[thrown instanceof InflateError ? thrown.problem : "damaged"](name),
    );
  };
  try {
    const inflated = decompress(bytes, limit);
    return inflated instanceof Promise ? inflated.catch(fail) : inflated;
  } catch (thrown) {
    return fail(thrown);
  }
}

/** The compressions of one call. */
export interface Codings {
  readonly request: Coding | undefined;
  readonly response: Coding | undefined;
  /** The request has an unknown compression. */
  readonly problem: ConnectError | undefined;
}

const NONE: Codings = { request: undefined, response: undefined, problem: undefined };

/** The arguments and the result of the latest negotiation. Most clients send the same headers with each call. */
let latest: {
  readonly available: readonly Coding[];
  readonly requested: string | undefined;
  readonly accepted: string | undefined;
  readonly codings: Codings;
} = { available: [], requested: undefined, accepted: undefined, codings: NONE };

/**
 * Selects the compressions of a call. A client that does not say what it accepts gets the compression of its request.
 * https://github.com/grpc/grpc/blob/v1.70.0/doc/compression.md
 *
 * @param acceptHeader the name of the header in which the error lists the compressions of the server
 */
export function negotiate(
  available: readonly Coding[],
  requested: string | undefined,
  accepted: string | undefined,
  acceptHeader: string,
): Codings {
  if (requested === undefined && accepted === undefined) {
    return NONE;
  }
  const isSame = latest.requested === requested && latest.accepted === accepted;
  if (isSame && latest.available === available) {
    return latest.codings;
  }
  const codings = select(available, requested, accepted, acceptHeader);
  if (codings.problem === undefined) {
    latest = { available, requested, accepted, codings };
  }
  return codings;
}

function select(
  available: readonly Coding[],
  requested: string | undefined,
  accepted: string | undefined,
  acceptHeader: string,
): Codings {
  const isPlain = requested === undefined || /^(?:identity)?$/i.test(requested);
  // RFC 9110, section 8.4.1: codings are case-insensitive.
  const find = (name: string): Coding | undefined => {
    const wanted = trimField(name).toLowerCase();
    return available.find((each) => each.name.toLowerCase() === wanted);
  };
  const request = isPlain ? undefined : find(requested);
  const problem =
    isPlain || request !== undefined ? undefined : unknownCompression(requested, available, acceptHeader);
  const response =
    accepted === undefined || accepted === ""
      ? request
      : accepted
          .split(",")
          .map(find)
          .find((each) => each !== undefined);
  return { request, response, problem };
}
