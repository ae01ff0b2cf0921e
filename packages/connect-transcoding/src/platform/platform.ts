/** A compression that a runtime has. */
export interface Compression {
  readonly name: "gzip" | "br";
  compress(bytes: string | Uint8Array): Promise<Uint8Array>;
  /**
   * Throws or rejects with a RangeError for more than `limit` bytes, before it has inflated them, and with another Error for
   * malformed bytes. Returns short data synchronously if the runtime can.
   */
  decompress(bytes: Uint8Array, limit: number): Uint8Array | Promise<Uint8Array>;
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
