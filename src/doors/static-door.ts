import { errorAnswer, type HttpAnswer } from "../transcoding/answer.js";
import { methodNotAllowed } from "../transcoding/http-error.js";
import type { Exchange, Reply } from "./exchange.js";
import { toReply } from "./reply.js";
import { keptRepresentationOf, represent } from "./represent-answer.js";
import { settle } from "./settle.js";

/** Answers that never change, by their paths; there is nothing at any other path. */
export type StaticAnswers = ReadonlyMap<string, HttpAnswer>;

/** The door for what is the same for everybody: pages and documents. */
export interface StaticDoor {
  /** Whether there is something at a path. */
  serves(path: string): boolean;
  /** Answers a request for such a path. */
  handle(exchange: Exchange, path: string): void;
}

const METHODS = ["GET", "HEAD", "OPTIONS"];

/** Makes the door. Each answer is compressed when it is first asked for, and kept. */
export function createStaticDoor(answers: StaticAnswers, reportBug: (bug: unknown) => void): StaticDoor {
  const representations = new Map(
    [...answers].map(([path, answer]) => [path, keptRepresentationOf(answer)] as const),
  );

  function answerTo(exchange: Exchange, path: string): Reply | Promise<Reply> {
    const representation = representations.get(path);
    const { verb } = exchange;
    if (representation === undefined || !METHODS.includes(verb)) {
      const error = methodNotAllowed(METHODS);
      exchange.code = error.code;
      return toReply(errorAnswer(error));
    }
    return verb === "OPTIONS"
      ? toReply({ status: 204, headers: { allow: METHODS.join(", ") }, body: "" })
      : represent(representation, exchange);
  }

  return {
    serves: (path) => representations.has(path),
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
