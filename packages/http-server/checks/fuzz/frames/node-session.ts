import { createServer, type ServerHttp2Stream } from "node:http2";
import { setImmediate as turn } from "node:timers/promises";
import { MemorySocket } from "../memory-socket.js";
import type { SeenRequest } from "./run-session.js";

/** Turns of the event loop in which all requests of a session must be read. */
const MAX_TURNS = 200;

/** What `node:http2` reads of a session: at least `expected` requests, unless it takes too long. */
export async function runNodeSession(bytes: Buffer, expected: number): Promise<readonly SeenRequest[]> {
  const socket = new MemorySocket();
  const seen: SeenRequest[] = [];
  const server = createServer({ settings: { maxHeaderListSize: 16_384 } });
  server.on("sessionError", () => {});
  server.on("session", (session) => session.on("error", () => {}));
  server.on("stream", (stream: ServerHttp2Stream, _headers: unknown, _flags: number, rawHeaders: string[]) =>
    readRequest(stream, rawHeaders, seen),
  );
  server.emit("connection", socket);
  await turn();
  socket.push(bytes);
  for (let turns = 0; turns < MAX_TURNS && seen.length < expected; turns++) {
    await turn();
  }
  await turn();
  socket.destroy();
  await turn();
  return seen;
}

function readRequest(stream: ServerHttp2Stream, rawHeaders: readonly string[], seen: SeenRequest[]): void {
  const chunks: Buffer[] = [];
  let trailers: readonly string[] = [];
  stream.on("error", () => {});
  stream.on("trailers", (received) => {
    trailers = Object.entries(received).flatMap(([name, value]) => [name, String(value)]);
  });
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.on("end", () => {
    const pseudo = (name: string) => rawHeaders[rawHeaders.indexOf(name) + 1] ?? "";
    const isRegular = (index: number) => rawHeaders[index - (index % 2)]?.startsWith(":") !== true;
    seen.push({
      method: pseudo(":method"),
      path: pseudo(":path"),
      headers: rawHeaders.filter((_, index) => isRegular(index)),
      body: Buffer.concat(chunks).toString("latin1"),
      trailers,
    });
    if (!stream.destroyed) {
      stream.respond({ ":status": 200 }, { endStream: true });
    }
  });
}
