import type { HttpAnswer } from "../transcoding/answer.js";
import type { NodeRequest, NodeResponse } from "./node-http.js";

/** Browsers are told to take content types at their word. */
const ALWAYS = { "x-content-type-options": "nosniff" };

/** Writes an answer, without its body for HEAD (RFC 9110, section 9.3.2). */
export function writeAnswer(request: NodeRequest, response: NodeResponse, answer: HttpAnswer): void {
  const body = Buffer.from(answer.body);
  const hasLength = answer.status !== 204 && answer.status !== 304;
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(hasLength ? { "content-length": String(body.length) } : {}),
    ...ALWAYS,
  });
  if (request.method === "HEAD" || body.length === 0) {
    response.end();
  } else {
    response.end(body);
  }
}

/**
 * Writes an answer that comes in pieces, no faster than the caller takes them. Stops asking for more once the caller
 * has gone.
 */
export async function writeStream(
  response: NodeResponse,
  headers: Readonly<Record<string, string>>,
  pieces: AsyncIterable<string>,
): Promise<void> {
  response.writeHead(200, { ...headers, ...ALWAYS });
  for await (const piece of pieces) {
    if (response.destroyed || response.writableEnded) {
      return;
    }
    if (!write(response, piece)) {
      await drained(response);
    }
  }
  response.end();
}

function write(response: NodeResponse, piece: string): boolean {
  // The types of the compatibility API of node:http2 lack what its streams have.
  return (response as { write(chunk: string): boolean }).write(piece);
}

/** Resolves when a caller has taken what was written, or has gone; leaves no listener behind. */
function drained(response: NodeResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off("drain", settle);
      response.off("close", settle);
      resolve();
    };
    response.on("drain", settle);
    response.on("close", settle);
  });
}
