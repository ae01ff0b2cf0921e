/** A compression that a runtime has. */
export interface Compression {
  readonly name: "gzip" | "br";
  compress(bytes: string | Uint8Array): Promise<Uint8Array>;
  /**
   * Throws or rejects with a RangeError for more than `limit` bytes, before it has inflated them, and with an InflateError for
   * malformed bytes. Returns short data synchronously if the runtime can.
   */
  decompress(bytes: Uint8Array, limit: number): Uint8Array | Promise<Uint8Array>;
}

/** Why bytes cannot be inflated. What is incomplete or has other data after it is damaged as well, where the runtime does not say which. */
export type InflateProblem = "other format" | "incomplete" | "trailing data" | "damaged";

/** Bytes cannot be inflated. */
export class InflateError extends Error {
  readonly problem: InflateProblem;

  constructor(problem: InflateProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

/** The first bytes of gzip: its signature, and the only method (RFC 1952, section 2.3.1). */
const GZIP_START = [0x1f, 0x8b, 8];

/** Whether bytes are the start of gzip data. */
export function startsAsGzip(bytes: Uint8Array): boolean {
  return bytes.length > 0 && GZIP_START.every((byte, index) => (bytes[index] ?? byte) === byte);
}

/** Proxies whose forwarding headers are honored. */
export interface TrustedProxies {
  /** Whether an address belongs to a trusted proxy. */
  trusts(peerAddress: string): boolean;
  /**
   * The address of the client: the right-most address in `X-Forwarded-For` that does not belong to a trusted proxy, because
   * each proxy appends the address of its client and clients can forge the rest. Falls back to the last known address at an
   * entry that is not an address, and to the address of the connection if its peer is not trusted.
   */
  clientOf(peerAddress: string, forwardedFor: string | undefined): string;
}

/** Imports a module by its name. */
export type ImportByName = <Module>(name: string) => Promise<Module>;
