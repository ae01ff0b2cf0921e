import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { send } from "./clients.js";
import { useServer } from "./serve.js";

const server = useServer();

afterEach(async () => {
  // Long enough for the server to notice the disconnect.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { status } = await send(`${server.url}/v1/geoIp?ip_address=8.8.8.8`);
  expect([status, server.bugs]).toEqual([200, []]);
});

const HEAD =
  "POST /v1/otp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";

test.each([
  ["closes", (socket: import("node:net").Socket) => socket.end()],
  ["breaks off", (socket: import("node:net").Socket) => socket.destroy()],
  ["is reset", (socket: import("node:net").Socket) => socket.resetAndDestroy()],
])("an HTTP/1.1 connection that %s within a body is no bug", async (_name, leave) => {
  const socket = connect({ port: server.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.write(`${HEAD}{"type":`);
  await once(socket, "connect");
  await new Promise((resolve) => setTimeout(resolve, 50));
  leave(socket);
});

test("an HTTP/2 stream that is reset within a body does not cause a bug report", async () => {
  const session = connectHttp2(server.url);
  const stream = session.request({
    ":method": "POST",
    ":path": "/v1/otp",
    "content-type": "application/json",
  });
  stream.on("error", () => {});
  stream.write('{"type":');
  await new Promise((resolve) => setTimeout(resolve, 50));
  stream.close(8);
  await once(stream, "close");
  session.close();
});
