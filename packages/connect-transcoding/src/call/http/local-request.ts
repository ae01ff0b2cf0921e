import type { Body, BodyReader, BodyWriter, HeaderList, HeaderSection } from "@utility-tools/http-server";
import { ClosableRequest } from "./closable-request.js";
import type { HostRequest } from "./exchange.js";

/** The response to a call within the process. */
export interface LocalResponse {
  readonly headers: HeaderList;
  readonly body: Uint8Array;
  /** Whether the response was ended after more than `maxLines` lines or `maxBytes` bytes. */
  readonly isCut: boolean;
}

/** What a call within the process sends. */
export interface LocalRequestInit {
  readonly path: string;
  readonly headers: HeaderSection;
  readonly body: string;
  readonly connection: HostRequest["connection"];
  /** Ends a response of unknown length after this number of lines. */
  readonly maxLines: number;
  /** The same, in bytes. */
  readonly maxBytes: number;
  /** Counts bytes of memory that the call holds. */
  readonly holdMemory: (bytes: number) => void;
  /** Called once: with the response, or with undefined if the request was aborted. */
  readonly done: (response: LocalResponse | undefined) => void;
}

/** A request without a connection: its response stays in the process. A class, as those of other hosts. */
export class LocalRequest extends ClosableRequest implements HostRequest {
  readonly httpVersion = "1.1";
  readonly method = "POST";
  readonly authority = "localhost";
  readonly rejectedWith = undefined;
  readonly target: string;
  readonly headers: HeaderSection;
  readonly connection: HostRequest["connection"];
  hasResponse = false;
  readonly #init: LocalRequestInit;

  constructor(init: LocalRequestInit) {
    super();
    this.target = init.path;
    this.headers = init.headers;
    this.connection = init.connection;
    this.#init = init;
  }

  readBody(limit: number, done: (body: Body) => void): void {
    const bytes = Buffer.from(this.#init.body);
    done(bytes.length > limit ? "too large" : bytes);
  }

  openBody(): BodyReader {
    throw new TypeError("a call within the process has no stream of requests");
  }

  respond(_status: number, headers: HeaderList, body: string | Uint8Array = ""): boolean {
    if (this.isClosed || this.hasResponse) {
      return false;
    }
    this.#close({ headers, body: Buffer.from(body), isCut: false });
    return true;
  }

  openResponse(_status: number, headers: HeaderList): BodyWriter {
    this.hasResponse = true;
    const parts: Uint8Array[] = [];
    let bytes = 0;
    let lines = 0;
    const add = (part: Uint8Array | undefined, isEnd: boolean): void => {
      if (part !== undefined && !this.isClosed) {
        parts.push(new Uint8Array(part));
        bytes += part.length;
        lines += part.filter((byte) => byte === LINE_FEED).length;
        this.#init.holdMemory(part.length);
      }
      const isCut = lines > this.#init.maxLines || bytes > this.#init.maxBytes;
      if (isEnd || isCut) {
        this.#close({ headers, body: Buffer.concat(parts), isCut });
      }
    };
    return {
      write: (part) => {
        add(part, false);
        return true;
      },
      end: (part) => add(part, true),
    };
  }

  holdMemory(bytes: number): void {
    this.#init.holdMemory(bytes);
  }

  abort(): void {
    this.#close(undefined);
  }

  #close(response: LocalResponse | undefined): void {
    this.close(() => {
      this.hasResponse = true;
      this.#init.done(response);
    });
  }
}

const LINE_FEED = 0x0a;
