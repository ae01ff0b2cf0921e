import type { ServerHttp2Session } from "node:http2";

/**
 * Makes what tells whether nghttp2 neither reads nor writes any more on the connection of a session. It has sent a GOAWAY
 * with a connection error then, after which the connection must be closed (RFC 9113, section 5.4.1). Of most such errors Node
 * tells nobody; it stops to read, so that it does not even notice when the caller closes the connection.
 *
 * Node itself asks nghttp2 when a session is closed, and has no public way to ask. Where this one is missing the answer is
 * always false, and such connections are left to the time-outs.
 */
export function sessionEnd(session: ServerHttp2Session): () => boolean {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === "kHandle");
  return () => {
    // There is no handle any more once the session is destroyed.
    const handle: unknown = key === undefined ? undefined : Reflect.get(session, key);
    return isAskable(handle) && !handle.hasPendingData();
  };
}

function isAskable(handle: unknown): handle is { hasPendingData(): boolean } {
  return (
    typeof handle === "object" &&
    handle !== null &&
    "hasPendingData" in handle &&
    typeof handle.hasPendingData === "function"
  );
}
