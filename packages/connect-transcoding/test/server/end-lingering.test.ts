import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endLingering } from "../../src/server/http1-server.js";

/** A timeout that never expires, in milliseconds. */
const NEVER = 1e6;
const server = createServer({ allowHalfOpen: true });
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
});

/** Opens a connection: the end of the server, which has sent a response, and that of the client, which stays open. */
async function open(): Promise<{ readonly ours: Socket; readonly theirs: Socket }> {
  const accepted = once(server, "connection");
  const { port } = server.address() as AddressInfo;
  const theirs = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  const [ours] = (await accepted) as [Socket];
  ours.on("error", () => {});
  ours.write("response");
  return { ours, theirs };
}

describe("endLingering", () => {
  test("lets the client read everything, and ends when the client does", async () => {
    const { ours, theirs } = await open();
    endLingering(ours, { quiet: NEVER, longest: NEVER });
    theirs.write(Buffer.alloc(100_000));
    expect(String((await once(theirs, "data"))[0])).toBe("response");
    await once(theirs.resume(), "end");
    expect(ours.destroyed).toBe(false);
    theirs.end();
    await once(ours, "close");
    expect(ours.bytesRead).toBe(100_000);
  });

  test("closes the connection when no data arrives", async () => {
    const { ours, theirs } = await open();
    endLingering(ours, { quiet: 60, longest: NEVER });
    await once(ours, "close");
    expect(ours.bytesRead).toBe(0);
    theirs.destroy();
  });

  test("closes the connection after the maximum time, even if data arrives", async () => {
    const { ours, theirs } = await open();
    const drip = setInterval(() => theirs.write("x"), 5);
    endLingering(ours, { quiet: 200, longest: 300 });
    await once(ours, "close");
    expect(ours.bytesRead).toBeGreaterThan(0);
    clearInterval(drip);
    theirs.destroy();
  });
});
