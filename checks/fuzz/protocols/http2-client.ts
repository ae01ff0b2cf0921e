import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { ProtocolRequest, ProtocolResponse } from "./request.js";

/** Sends requests on a few HTTP/2 sessions. */
export interface Http2Client {
  /**
   * Resolves to the outcome, also if there is no response. `half` sends part of the body and then resets the stream.
   */
  ask(request: ProtocolRequest, half: boolean): Promise<ProtocolResponse>;
  close(): void;
}

const SESSIONS = 4;
/** Servers end a session after about 1,000 resets; this limit stays below. */
const REQUESTS_PER_SESSION = 700;
const MAX_ATTEMPTS = 3;
/** Ends that may be unrelated to the request (RFC 9113, section 8.7). It is retried unless it always ends this way. */
const RETRIED: readonly string[] = ["closed", "reset REFUSED_STREAM"];

/**
 * Codes that concern the stream itself, even if its session has ended. Node does not send headers that are too long.
 */
const STREAM_CODES: readonly number[] = [constants.NGHTTP2_PROTOCOL_ERROR, constants.NGHTTP2_REFUSED_STREAM];

const CODES = new Map(
  Object.entries(constants)
    .filter(([name]) =>
      /^NGHTTP2_(NO_ERROR|\w+_ERROR|REFUSED_STREAM|CANCEL|STREAM_CLOSED|ENHANCE_YOUR_CALM)$/.test(name),
    )
    .filter(([name]) => !name.startsWith("NGHTTP2_ERR_"))
    .map(([name, code]) => [code, name.slice("NGHTTP2_".length)] as const),
);

/** Creates the client. `timeout` and `abandonAfter` are those of the HTTP/1.1 client. */
export function createHttp2Client(url: string, timeout: number, abandonAfter: number): Http2Client {
  const sessions: ({ session: ClientHttp2Session; requests: number } | undefined)[] = Array.from(
    { length: SESSIONS },
    () => undefined,
  );
  let turn = 0;

  function nextSession(): ClientHttp2Session {
    turn = (turn + 1) % SESSIONS;
    const current = sessions[turn];
    if (
      current !== undefined &&
      current.requests < REQUESTS_PER_SESSION &&
      !current.session.closed &&
      !current.session.destroyed
    ) {
      current.requests++;
      return current.session;
    }
    current?.session.close();
    const session = connect(url);
    session.on("error", () => {});
    sessions[turn] = { session, requests: 1 };
    return session;
  }

  async function ask(request: ProtocolRequest, half: boolean): Promise<ProtocolResponse> {
    for (let attempt = 1; ; attempt++) {
      const response = await askOnce(nextSession(), request, half, timeout, abandonAfter);
      if (!RETRIED.includes(response.end) || attempt === MAX_ATTEMPTS) {
        return response;
      }
    }
  }

  function close(): void {
    for (const each of sessions) {
      each?.session.destroy();
    }
  }

  return { ask, close };
}

function askOnce(
  session: ClientHttp2Session,
  request: ProtocolRequest,
  half: boolean,
  timeout: number,
  abandonAfter: number,
): Promise<ProtocolResponse> {
  return new Promise((resolve) => {
    const stream = open(session, request);
    const headers = new Map<string, string>();
    const chunks: Buffer[] = [];
    let status = 0;
    let isComplete = false;
    let timedOut: "abandoned" | "late" | undefined;
    const note = (received: object): void => {
      for (const [name, value] of Object.entries(received)) {
        headers.set(name, String(value));
      }
    };
    const timer = setTimeout(
      () => {
        timedOut = request.breakOff ? "abandoned" : "late";
        // The stream may never close if its session is broken.
        resolve({ status, headers, body: Buffer.concat(chunks), end: timedOut });
        stream.close(constants.NGHTTP2_CANCEL);
      },
      request.breakOff ? abandonAfter : timeout,
    );
    stream.on("response", (received) => {
      status = Number(received[":status"]);
      note(received);
    });
    stream.on("trailers", note);
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      isComplete = status !== 0;
    });
    stream.on("error", () => {});
    stream.on("close", () => {
      clearTimeout(timer);
      const code = stream.rstCode ?? 0;
      const isSessionGone = session.destroyed && !STREAM_CODES.includes(code);
      const reset = `reset ${CODES.get(code) ?? code}` as const;
      const end = timedOut ?? (isComplete ? "complete" : isSessionGone ? "closed" : reset);
      resolve({ status, headers, body: Buffer.concat(chunks), end });
    });
    if (request.body.length === 0) {
      stream.end();
    } else if (half) {
      stream.write(request.body.subarray(0, request.body.length / 2));
    } else {
      stream.end(request.body);
    }
  });
}

/** Opens a stream with the headers of a request, except those that `node:http2` does not send. */
function open(
  session: ClientHttp2Session,
  { httpMethod, target, headers }: ProtocolRequest,
): ClientHttp2Stream {
  const cleanHttpMethod = httpMethod.replaceAll(/[^\w-]/g, "") || "GET";
  const pseudo: Record<string, string> = { ":method": cleanHttpMethod, ":authority": "a.example" };
  if (httpMethod !== "CONNECT") {
    pseudo[":path"] = target || "/";
  }
  const last: Record<string, string> = { ...pseudo };
  const all: Record<string, string | string[]> = { ...pseudo };
  for (const [name, value] of headers) {
    const key = name === "host" ? ":authority" : name;
    const clean = value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?");
    const earlier = key === ":authority" ? undefined : all[key];
    all[key] = earlier === undefined ? clean : [earlier, clean].flat();
    last[key] = clean;
  }
  for (const sent of [all, last]) {
    try {
      return session.request(sent, { endStream: false });
    } catch {
      // A header that must be unique is repeated: send the last value only.
    }
  }
  return session.request(pseudo, { endStream: false });
}
