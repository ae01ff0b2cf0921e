/** Where a request stands in a distributed trace, as its caller says. */
export interface Traceparent {
  /** 32 lower-case hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** The caller's span: 16 lower-case hexadecimal digits, not all zero. */
  readonly parentId: string;
  /** Whether the caller may have recorded its span. */
  readonly sampled: boolean;
}

/** Version, trace-id, parent-id and trace-flags; what a later version may add comes behind another dash. */
const FORMAT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ALL_ZERO = /^0+$/;
const SAMPLED = 0x01;

/**
 * Reads a `traceparent` header; undefined when there is none or it is not valid, which is then to be treated as if there
 * were none. Of versions that are not known yet the first four fields are read.
 * https://www.w3.org/TR/trace-context-1/#traceparent-header
 */
export function parseTraceparent(header: string | undefined): Traceparent | undefined {
  const match = header === undefined ? null : FORMAT.exec(header);
  if (match === null) {
    return undefined;
  }
  const [, version = "", traceId = "", parentId = "", flags = "", rest] = match;
  const isVersionValid = version !== "ff" && (version !== "00" || rest === undefined);
  return isVersionValid && !ALL_ZERO.test(traceId) && !ALL_ZERO.test(parentId)
    ? { traceId, parentId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
    : undefined;
}
