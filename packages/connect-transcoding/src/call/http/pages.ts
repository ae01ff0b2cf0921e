import { bodyTooLarge, methodNotAllowed } from "../../errors/http-error.js";
import { inflateBody, isGzip } from "../../protocols/rest/content-coding.js";
import { rejectContentEncoding } from "../../routes/binding/request-parameters.js";
import {
  keptRepresentationOf,
  type OutgoingResponse,
  type Representation,
  selectResponse,
  toOutgoing,
} from "../../routes/encoding/representation.js";
import type { HttpResponse } from "../../routes/encoding/response-encoder.js";
import type { HttpBinding } from "../../routes/rules/http-rule.js";
import type { ServedMethod } from "../../routes/served-methods.js";
import type { Caller } from "../caller.js";
import { settle } from "../settle.js";
import type { Exchange } from "./exchange.js";
import type { IncomingRequest } from "./request-record.js";

/** A page or a document: a fixed response, or a function that returns the current one. */
export type Page = HttpResponse | ((request: PageRequest) => HttpResponse | Promise<HttpResponse>);

/** The methods and the bindings of an adapter. */
export interface DescribedApi {
  readonly bindings: readonly HttpBinding[];
  readonly methods: readonly ServedMethod[];
}

/** Creates the pages that describe an API, by their paths. */
export type PagesOf = (api: DescribedApi) => ReadonlyMap<string, Page | PostPage>;

/** What responds to POST requests at a path. */
export interface PostPage {
  /** The maximum length of a body in bytes, also of one in gzip, which `post` receives inflated. */
  readonly maxRequestBytes: number;
  /** The protocol in the records of requests. Default: `page`. */
  readonly protocol?: "mcp" | undefined;
  /**
   * Returns the response. Throws a ConnectError for one with an error. The bytes of `body` are valid during the call only. `caller` calls methods
   * for this request: with its headers, the address of its client, and its context values; the record of the request is that
   * of the last call.
   */
  readonly post: (
    request: PostRequest,
    body: Uint8Array,
    caller: Caller,
  ) => HttpResponse | Promise<HttpResponse>;
}

/** A POST request for a page. */
export interface PostRequest extends PageRequest, IncomingRequest {}

/** The request for a page. */
export interface PageRequest {
  /** How the client reaches this server: scheme and authority, no final slash. */
  readonly baseUrl: string;
  /** Returns the value of a header by its name in lower case. */
  header(name: string): string | undefined;
  /** Resolves when the event loop has time for this client. A page that takes some `milliseconds` to make awaits it first. */
  turn(milliseconds?: number): Promise<void>;
}

/** Responds to a request for a page. */
export type ServePage = (exchange: Exchange) => OutgoingResponse | Promise<OutgoingResponse>;

const HTTP_METHODS = ["GET", "HEAD", "OPTIONS"];
const POST_METHODS = ["POST", "OPTIONS"];

/** Creates the handler of a page. The compressed forms of a fixed response, and of one that a function returns again, are kept. */
export function createPageHandler(
  page: Page | PostPage,
  callerOf: (exchange: Exchange) => Caller,
): ServePage {
  const isPost = "post" in page;
  const serve = isPost ? postServer(page, callerOf) : pageServer(page);
  const allowed = isPost ? POST_METHODS : HTTP_METHODS;
  return (exchange) => {
    const { httpMethod } = exchange;
    if (!allowed.includes(httpMethod)) {
      throw methodNotAllowed(allowed);
    }
    return httpMethod === "OPTIONS"
      ? toOutgoing({ status: 204, headers: { allow: allowed.join(", ") }, body: "" })
      : serve(exchange);
  };
}

function postServer(
  { maxRequestBytes, post }: PostPage,
  callerOf: (exchange: Exchange) => Caller,
): ServePage {
  return (exchange) =>
    new Promise((resolve, reject) => {
      exchange.readBody(maxRequestBytes, (body) =>
        settle<HttpResponse>(
          () => {
            if (body === "too large") {
              throw bodyTooLarge(maxRequestBytes);
            }
            return read(exchange, body, maxRequestBytes, (bytes) =>
              post(exchange, bytes, callerOf(exchange)),
            );
          },
          (response) => resolve(toOutgoing(response)),
          reject,
        ),
      );
    });
}

/** Inflates a body, and passes it on. Throws a ConnectError (415) for another compression than gzip. */
function read<T>(
  exchange: Exchange,
  body: Uint8Array,
  limit: number,
  pass: (body: Uint8Array) => T | Promise<T>,
) {
  const encoding = exchange.header("content-encoding");
  if (!isGzip(encoding)) {
    rejectContentEncoding(encoding, "gzip");
    return pass(body);
  }
  const inflated = inflateBody(body, limit);
  return inflated instanceof Promise ? inflated.then(pass) : pass(inflated);
}

function pageServer(page: Page): ServePage {
  if (typeof page === "function") {
    const kept = new WeakMap<HttpResponse, Representation>();
    return async (exchange) => {
      const response = await page(exchange);
      const representation = kept.get(response) ?? keptRepresentationOf(response);
      kept.set(response, representation);
      return selectResponse(representation, exchange);
    };
  }
  const representation = keptRepresentationOf(page);
  return (exchange) => selectResponse(representation, exchange);
}
