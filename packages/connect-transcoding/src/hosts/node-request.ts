import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { HeaderSection } from "@utility-tools/http-server";
import type { HostRequest } from "../call/http/exchange.js";

/** A request of `node:http` or of the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The response of the same, in the type of connect-node, so that either handler can be the fallback of the other. */
export type NodeResponse = (Omit<ServerResponse, "write"> | Omit<Http2ServerResponse, "write">) & {
  write(chunk: string | Uint8Array, callback?: (error: Error | null | undefined) => void): boolean;
  write(
    chunk: string | Uint8Array,
    encoding: BufferEncoding,
    callback?: (error: Error | null | undefined) => void,
  ): boolean;
  writeHead(status: number, headers?: OutgoingHttpHeaders): unknown;
};

/** A request of one of Node's servers. */
export interface NodeHostRequest extends HostRequest {
  /** The request as Node's request handlers take it. */
  readonly nodeRequest: NodeRequest;
  readonly nodeResponse: NodeResponse;
  /** Asks the client for the body if it waits for that. */
  sendContinue(): void;
}

/**
 * The headers of a request. Several values of one name are joined by a comma (RFC 9110, section 5.3), also those of `Authorization`:
 * Node keeps only the first of them, but a proxy may have used another.
 *
 * @param hidden a name in lower case that the section leaves out
 */
export function headerSectionOf({ headers, rawHeaders }: NodeRequest, hidden?: string): HeaderSection {
  let list: readonly string[] | undefined;
  const all = (): readonly string[] => {
    list ??= rawHeaders.flatMap((text, index) => {
      const name = (rawHeaders[index - (index % 2)] ?? "").toLowerCase();
      return name.startsWith(":") || name === hidden ? [] : [index % 2 === 0 ? name : text];
    });
    return list;
  };
  return {
    get list() {
      return all();
    },
    get: (name) => {
      const value = name === hidden ? undefined : headers[name];
      if (name === "authorization" && value !== undefined) {
        return all()
          .filter((_, index) => index % 2 === 1 && all()[index - 1] === name)
          .join(", ");
      }
      return Array.isArray(value) ? value.join(", ") : value;
    },
  };
}
