import { getEventListeners } from "node:events";
import { createClient } from "@connectrpc/connect";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { expect, onTestFinished, test } from "vitest";
import { createUpstreamConnections } from "../../src/grpc/connection.js";
import { createTransport } from "../../src/grpc/transport.js";
import { startUpstream } from "../support/upstream.js";

test("calls leave nothing at a signal that lives longer", async () => {
  const { url } = await startUpstream({
    getBook: ({ name }) => ({ name }),
    async *watchBook({ name }) {
      yield { name };
    },
  });
  const connections = createUpstreamConnections(url, {});
  onTestFinished(() => connections.close());
  const client = createClient(ShelfService, createTransport(connections, 1_000));
  const { signal } = new AbortController();
  expect((await client.getBook({ name: "a" }, { signal })).name).toBe("a");
  for await (const { name } of client.watchBook({ name: "b" }, { signal })) {
    expect(name).toBe("b");
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
  }
  await expect(client.createBook({}, { signal })).rejects.toThrow();
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
