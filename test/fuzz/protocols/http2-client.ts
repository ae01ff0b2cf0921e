import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import type { DoorAnswer, DoorRequest } from "./request.js";

/** Sends requests over a few sessions of HTTP/2. */
export interface Http2Client {
  /** Resolves to what came back, if only that nothing did. `half` sends only part of the body, and then resets the stream. */
  ask(request: DoorRequest, half: boolean): Promise<DoorAnswer>;
  close(): void;
}

const SESSIONS = 4;
/** A server ends a session after some 1,000 resets; none here gets to so many. */
const REQUESTS_PER_SESSION = 700;
const TRIES = 3;
/** Ends that may say nothing of the request (RFC 9113, section 8.7): it is sent again, unless it always ends so. */
const AGAIN: readonly string[] = ["closed", "reset REFUSED_STREAM"];

/** Codes that tell of the stream itself, also where its session is gone; Node refuses to send headers that are too long. */
const OWN_CODES: readonly number[] = [constants.NGHTTP2_PROTOCOL_ERROR, constants.NGHTTP2_REFUSED_STREAM];

const CODES = new Map(
  Object.entries(constants)
    .filter(([name]) =>
      /^NGHTTP2_(NO_ERROR|\w+_ERROR|REFUSED_STREAM|CANCEL|STREAM_CLOSED|ENHANCE_YOUR_CALM)$/.test(name),
    )
    .filter(([name]) => !name.startsWith("NGHTTP2_ERR_"))
    .map(([name, code]) => [code, name.slice("NGHTTP2_".length)] as const),
);

/** Makes the client; `patience` and `glance` are as those of the client for HTTP/1.1. */
export function createHttp2Client(url: string, patience: number, glance: number): Http2Client {
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

  async function ask(request: DoorRequest, half: boolean): Promise<DoorAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await askOnce(nextSession(), request, half, patience, glance);
      if (!AGAIN.includes(answer.end) || tries === TRIES) {
        return answer;
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
  request: DoorRequest,
  half: boolean,
  patience: number,
  glance: number,
): Promise<DoorAnswer> {
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
        // It may not close by itself where the session has broken.
        resolve({ status, headers, body: Buffer.concat(chunks), end: timedOut });
        stream.close(constants.NGHTTP2_CANCEL);
      },
      request.breakOff ? glance : patience,
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
      const isSessionGone = session.destroyed && !OWN_CODES.includes(code);
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

/** Opens a stream with the headers of a request, without those with which `node:http2` does not send it. */
function open(session: ClientHttp2Session, { verb, target, headers }: DoorRequest): ClientHttp2Stream {
  const cleanVerb = verb.replaceAll(/[^\w-]/g, "") || "GET";
  const pseudo: Record<string, string> = { ":method": cleanVerb, ":authority": "a.example" };
  if (verb !== "CONNECT") {
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
      // Two of what there may be only one of: then the last counts.
    }
  }
  return session.request(pseudo, { endStream: false });
}
