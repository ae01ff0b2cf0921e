import { methodNotAllowed } from "../../errors/http-error.js";
import {
  keptRepresentationOf,
  type OutgoingResponse,
  type Representation,
  selectResponse,
  toOutgoing,
} from "../../routes/encoding/representation.js";
import type { HttpResponse } from "../../routes/encoding/response-encoder.js";
import type { Exchange } from "./exchange.js";

/** A page or a document: a fixed response, or a function that returns the current one. */
export type Page = HttpResponse | ((request: PageRequest) => HttpResponse | Promise<HttpResponse>);

/** The request for a page. */
export interface PageRequest {
  /** How the client reaches this server: scheme and authority, no final slash. */
  readonly baseUrl: string;
  /** Returns the value of a header by its name in lower case. */
  header(name: string): string | undefined;
}

/** Responds to a request for a page. */
export type ServePage = (exchange: Exchange) => OutgoingResponse | Promise<OutgoingResponse>;

const HTTP_METHODS = ["GET", "HEAD", "OPTIONS"];

/** Creates the handler of a page. The compressed forms of a fixed response, and of one that a function returns again, are kept. */
export function createPageHandler(page: Page): ServePage {
  const serve = pageServer(page);
  return (exchange) => {
    const { httpMethod } = exchange;
    if (!HTTP_METHODS.includes(httpMethod)) {
      throw methodNotAllowed(HTTP_METHODS);
    }
    return httpMethod === "OPTIONS"
      ? toOutgoing({ status: 204, headers: { allow: HTTP_METHODS.join(", ") }, body: "" })
      : serve(exchange);
  };
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
