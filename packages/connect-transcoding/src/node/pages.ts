import { methodNotAllowed } from "../errors/http-error.js";
import { keptRepresentationOf, represent, representationOf, toReply } from "../response/representation.js";
import { errorAnswer, type HttpAnswer } from "../response/response-encoder.js";
import type { Exchange, Reply } from "./exchange.js";
import { settle } from "./unary.js";

/** What is at a path: an answer that never changes, or what gives the one of the moment. */
export type PageAnswer = HttpAnswer | (() => HttpAnswer | Promise<HttpAnswer>);

/** The same for everybody, by its path; there is nothing at any other path. */
export type StaticAnswers = ReadonlyMap<string, PageAnswer>;

/** The door for what is the same for everybody: pages and documents. */
export interface StaticDoor {
  /** Whether there is something at a path. */
  serves(path: string): boolean;
  /** Answers a request for such a path. */
  handle(exchange: Exchange, path: string): void;
}

const METHODS = ["GET", "HEAD", "OPTIONS"];

/** Makes the door. Each answer that never changes is compressed when it is first asked for, and kept. */
export function createStaticDoor(answers: StaticAnswers, reportBug: (bug: unknown) => void): StaticDoor {
  const pages = new Map([...answers].map(([path, answer]) => [path, pageOf(answer)] as const));

  function answerTo(exchange: Exchange, path: string): Reply | Promise<Reply> {
    const page = pages.get(path);
    const { verb } = exchange;
    if (page === undefined || !METHODS.includes(verb)) {
      const error = methodNotAllowed(METHODS);
      exchange.code = error.code;
      return toReply(errorAnswer(error));
    }
    return verb === "OPTIONS"
      ? toReply({ status: 204, headers: { allow: METHODS.join(", ") }, body: "" })
      : page(exchange);
  }

  return {
    serves: (path) => pages.has(path),
    handle: (exchange, path) =>
      settle(
        () => answerTo(exchange, path),
        (reply) => exchange.respond(reply),
        (bug) => {
          reportBug(bug);
          exchange.destroy();
        },
      ),
  };
}

function pageOf(answer: PageAnswer): (exchange: Exchange) => Reply | Promise<Reply> {
  if (typeof answer === "function") {
    return async (exchange) => represent(representationOf(await answer()), exchange);
  }
  const representation = keptRepresentationOf(answer);
  return (exchange) => represent(representation, exchange);
}
