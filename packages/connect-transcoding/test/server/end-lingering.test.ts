import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endLingering } from "../../src/server/http1-server.js";

const TIMES = { quiet: 60, longest: 300 };
const server = createServer({ allowHalfOpen: true });
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
});

/** A connection: the end that lingers once it has said something, and the other, which closes nothing by itself. */
async function open(): Promise<{ readonly ours: Socket; readonly theirs: Socket }> {
  const accepted = once(server, "connection");
  const { port } = server.address() as AddressInfo;
  const theirs = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  const [ours] = (await accepted) as [Socket];
  ours.on("error", () => {});
  ours.write("answer");
  return { ours, theirs };
}

describe("a connection that lingers", () => {
  test("gives its caller all that was written, and ends with it", async () => {
    const { ours, theirs } = await open();
    // It would never be told to go for being quiet.
    endLingering(ours, { quiet: 1e6, longest: 1e6 });
    theirs.write(Buffer.alloc(100_000));
    expect(String((await once(theirs, "data"))[0])).toBe("answer");
    await once(theirs.resume(), "end");
    expect(ours.destroyed).toBe(false);
    theirs.end();
    await once(ours, "close");
    expect(ours.bytesRead).toBe(100_000);
  });

  test("is cut when nothing comes any more", async () => {
    const { ours } = await open();
    const started = performance.now();
    endLingering(ours, TIMES);
    await once(ours, "close");
    expect(performance.now() - started).toBeLessThan(TIMES.longest);
  });

  test("is cut in the end, whatever comes", async () => {
    const { ours, theirs } = await open();
    const drip = setInterval(() => theirs.write("x"), 5);
    const started = performance.now();
    endLingering(ours, TIMES);
    await once(ours, "close");
    expect(performance.now() - started).toBeGreaterThan(TIMES.longest - 20);
    clearInterval(drip);
    theirs.destroy();
  });
});
