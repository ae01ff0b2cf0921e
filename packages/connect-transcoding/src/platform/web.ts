import {
  type Compression,
  type ImportByName,
  InflateError,
  startsAsGzip,
  type TrustedProxies,
} from "./platform.js";

// What the engine needs of a runtime that has the standards of the web and no modules of Node, for the import `#platform`.

/** The compressions. https://compression.spec.whatwg.org/ */
export const compressions: readonly Compression[] = [
  {
    name: "gzip",
    compress: (bytes) =>
      collect(streamOf(bytes).pipeThrough(new CompressionStream("gzip")), Number.POSITIVE_INFINITY),
    decompress: (bytes, limit) => {
      const problem = startsAsGzip(bytes) ? "damaged" : "other format";
      return collect(streamOf(bytes).pipeThrough(new DecompressionStream("gzip")), limit).catch((cause) => {
        throw cause instanceof RangeError ? cause : new InflateError(problem, { cause });
      });
    },
  },
];

/** Long bodies have no entity tag: the hashes of the web are asynchronous. */
export function hashOf(_body: string | Uint8Array): string | undefined {
  return undefined;
}

/** Throws a TypeError unless the list is empty: a `Request` does not have the address of its proxy. */
export function trustedProxies(blocks: readonly string[]): TrustedProxies {
  if (blocks.length > 0) {
    throw new TypeError("trustedProxies needs a server that knows the addresses of its connections");
  }
  return { trusts: () => false, clientOf: (peerAddress) => peerAddress };
}

/** A bundle has no modules with names. */
export const importByName: ImportByName | undefined = undefined;

function streamOf(bytes: string | Uint8Array): ReadableStream {
  return new Blob([bytes]).stream();
}

async function collect(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    length += part.length;
    if (length > limit) {
      throw new RangeError(`the data is larger than ${limit} bytes`);
    }
    parts.push(part);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
