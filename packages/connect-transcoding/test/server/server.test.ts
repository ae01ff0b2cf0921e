import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { startServer } from "../../../../src/service/server.js";
import { readUntilClose } from "./open-listener.js";

const GET = "GET /none HTTP/1.1\r\nHost: a\r\n\r\n";
const LONG_GRACE = 20_000;

/** Resolves when a port takes no more connections. */
async function refused(port: number): Promise<void> {
  for (let isOpen = true; isOpen; ) {
    const socket = connect({ port, host: "127.0.0.1" });
    isOpen = await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
  }
}

test("a connection that sends once more while the server stops is answered, and asked to close", async () => {
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    publicBaseUrl: undefined,
    unknownParameters: "reject",
    tools: [],
    documentation: { info: { title: "None", version: "1", description: "" }, comments: {} },
    reportBug: () => {},
  });
  if (!server.ok) {
    throw new Error(server.failure.description);
  }
  const socket = connect({ port: Number(new URL(server.value.url).port), host: "127.0.0.1" });
  socket.write(GET);
  expect(String((await once(socket, "data"))[0])).not.toMatch(/connection: close/i);
  const stopped = server.value.stop(LONG_GRACE);
  await refused(Number(new URL(server.value.url).port));
  const answer = readUntilClose(socket);
  socket.write(GET);
  expect(await answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*\r\nconnection: close\r\n/i);
  await stopped;
});
