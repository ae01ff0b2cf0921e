import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type Listener, listen } from "../../src/server/listener.js";

const opened: Listener[] = [];

/** Listens with a handler that answers when its request has been read to the end. */
async function open(port = 0): Promise<Listener> {
  const listener = await listen({
    host: "127.0.0.1",
    port,
    frontDoor: {
      http1: (request, response) => {
        request.resume().once("end", () => response.end("done"));
      },
      http2: (stream) => {
        stream.resume().once("end", () => {
          if (!stream.destroyed) {
            stream.respond();
            stream.end("done");
          }
        });
      },
    },
  });
  if (!listener.ok) {
    throw new Error(listener.failure.description);
  }
  opened.push(listener.value);
  return listener.value;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close(0)));
});

function connectTo({ address }: Listener): Socket {
  return connect({ port: address.port, host: "127.0.0.1" });
}

async function readUntilClose(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

const LONG_GRACE = 20_000;

describe("closing", () => {
  test("lets a request that is under way finish, and closes idle connections at once", async () => {
    const listener = await open();
    const idle = connectTo(listener);
    idle.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(idle, "data");
    const busy = connectTo(listener);
    busy.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nhal");
    await once(busy, "connect");
    const [idleText, busyText] = [readUntilClose(idle), readUntilClose(busy)];

    const closed = listener.close(LONG_GRACE);
    expect(await idleText).toBe("");
    busy.write("f");
    expect(await busyText).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*done/);
    await closed;
  });

  test("tells HTTP/2 callers to go, and lets their requests finish", async () => {
    const listener = await open();
    const session = connectHttp2(`http://127.0.0.1:${listener.address.port}`);
    const stream = session.request({ ":method": "POST", ":path": "/" });
    stream.setEncoding("utf8");
    stream.write("half");
    await once(session, "remoteSettings");
    const goaway = once(session, "goaway");
    await new Promise((resolve) => setTimeout(resolve, 50));

    const closed = listener.close(LONG_GRACE);
    await goaway;
    stream.end();
    const [body] = await once(stream, "data");
    expect(body).toBe("done");
    await closed;
  });

  test("cuts what does not finish in time", async () => {
    const listener = await open();
    const stuck = connectTo(listener);
    stuck.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
    const session = connectHttp2(`http://127.0.0.1:${listener.address.port}`);
    session.on("error", () => {});
    session.request({ ":method": "POST", ":path": "/" }).on("error", () => {});
    await once(session, "remoteSettings");
    const cut = Promise.all([readUntilClose(stuck), once(session, "close")]);
    await listener.close(100);
    expect((await cut)[0]).toBe("");
  });

  test("takes no new connection", async () => {
    const listener = await open();
    await listener.close(0);
    const [error] = await once(connectTo(listener), "error");
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });
});

describe("an address that cannot be listened on", () => {
  test("because the port is taken", async () => {
    const { address } = await open();
    expect(
      await listen({
        host: "127.0.0.1",
        port: address.port,
        frontDoor: { http1: () => {}, http2: () => {} },
      }),
    ).toMatchObject({
      ok: false,
      failure: { reason: "CANNOT_LISTEN", description: expect.stringContaining("EADDRINUSE") },
    });
  });

  test("because it is not of this machine", async () => {
    expect(
      await listen({ host: "192.0.2.1", port: 0, frontDoor: { http1: () => {}, http2: () => {} } }),
    ).toMatchObject({
      ok: false,
      failure: { reason: "CANNOT_LISTEN", description: expect.stringContaining("EADDRNOTAVAIL") },
    });
  });
});
