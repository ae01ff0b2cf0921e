import type { HttpAnswer } from "../transcoding/answer.js";
import type { NodeRequest, NodeResponse } from "./node-http.js";

/**
 * Writes an answer, without its body for HEAD (RFC 9110, section 9.3.2). Browsers are told to take content types at
 * their word.
 */
export function writeAnswer(request: NodeRequest, response: NodeResponse, answer: HttpAnswer): void {
  const body = Buffer.from(answer.body);
  const length = answer.status === 204 ? {} : { "content-length": String(body.length) };
  response.writeHead(answer.status, { ...answer.headers, ...length, "x-content-type-options": "nosniff" });
  if (request.method === "HEAD" || body.length === 0) {
    response.end();
  } else {
    response.end(body);
  }
}
