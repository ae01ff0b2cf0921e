import type { ServerHttp2Stream } from "node:http2";

/** How long nothing may have come of a request whose answer is out, in milliseconds. */
const QUIET = 100;

/**
 * Closes a stream whose answer is out when nothing more comes of its request, which somebody must read. Callers who have
 * their answer may neither send the rest nor end the stream: a reset without an error tells them to stop (RFC 9113, section
 * 8.1). It must not come while they still send, since Node counts what is on its way to a stream that is closed against the
 * memory of its session for good, and after 10 MB refuses all streams.
 */
export function closeWhenQuiet(stream: ServerHttp2Stream): void {
  let hasCome = true;
  const onData = (): void => {
    hasCome = true;
  };
  const timer = setInterval(() => {
    if (!hasCome) {
      stream.close();
    }
    hasCome = false;
  }, QUIET);
  stream.on("data", onData);
  stream.once("close", () => clearInterval(timer));
}
