import { errorAnswer, type HttpAnswer } from "../transcoding/answer.js";
import { negotiateContentCoding } from "../transcoding/content-coding.js";
import { methodNotAllowed } from "../transcoding/http-error.js";
import { headerOf, type NodeRequest, type NodeResponse } from "./node-http.js";
import { compressAnswer, labelAnswer, unlessKept } from "./represent-answer.js";
import { writeAnswer } from "./write-answer.js";

/** Answers that never change, by their paths; there is nothing at any other path. */
export type StaticAnswers = ReadonlyMap<string, HttpAnswer>;

/** The door for what is the same for everybody: pages and documents. */
export interface StaticDoor {
  /** Whether there is something at a path. */
  serves(path: string): boolean;
  /** Answers a request for such a path. */
  handle(request: NodeRequest, response: NodeResponse, path: string): Promise<void>;
}

const METHODS = ["GET", "HEAD", "OPTIONS"];

/** Makes the door. Each answer is compressed when it is first asked for, and kept. */
export function createStaticDoor(answers: StaticAnswers): StaticDoor {
  // At most one entry for each answer and each coding that is known.
  const represented = new Map<string, Promise<HttpAnswer>>();

  function represent(path: string, answer: HttpAnswer, acceptEncoding: string | undefined) {
    const coding = negotiateContentCoding(acceptEncoding);
    const key = `${coding ?? "identity"} ${path}`;
    const known = represented.get(key) ?? compressAnswer(labelAnswer(answer), coding);
    represented.set(key, known);
    return known;
  }

  async function answerTo(request: NodeRequest, path: string): Promise<HttpAnswer> {
    const answer = answers.get(path);
    const { method = "" } = request;
    if (answer === undefined || !METHODS.includes(method)) {
      return errorAnswer(methodNotAllowed(METHODS));
    }
    if (method === "OPTIONS") {
      return { status: 204, headers: { allow: METHODS.join(", ") }, body: "" };
    }
    const whole = await represent(path, answer, headerOf(request, "accept-encoding"));
    return unlessKept(whole, headerOf(request, "if-none-match"));
  }

  return {
    serves: (path) => answers.has(path),
    handle: async (request, response, path) => {
      writeAnswer(request, response, await answerTo(request, path));
      request.resume();
    },
  };
}
