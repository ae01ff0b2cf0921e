import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { describe, expect, test, vi } from "vitest";
import { useOnePort } from "../support/servers.js";
import { ShelfService, shelfRoutes } from "../support/shelf-service.js";
import { TRANSPORTS } from "../support/transports.js";

/** The headers of a response of another server, which a handler can relay. */
const RELAYED = {
  "content-type": "text/plain",
  "content-length": "7",
  "content-encoding": "x",
  connection: "close",
  "transfer-encoding": "chunked",
  date: "Thu, 01 Jan 1970 00:00:00 GMT",
  "grpc-status": "3",
  "x-reason": "holiday",
};

const relayedError = () => new ConnectError("closed", Code.NotFound, RELAYED);
const onError = vi.fn();

const server = useOnePort({
  routes: shelfRoutes({
    getBook: ({ name }, context) => {
      if (name === "length") {
        context.responseHeader.set("content-length", "7");
        return { name };
      }
      throw relayedError();
    },
    async *watchBook({ name }) {
      yield { name };
      throw relayedError();
    },
  }),
  transcoding: { onError },
});

describe.each(TRANSPORTS)("an error with the headers of another response with %s", (_name, transportTo) => {
  const expected = { code: Code.NotFound, rawMessage: "closed" };

  test("has its own headers in a unary call", async () => {
    const error = await createClient(ShelfService, transportTo(server.url))
      .getBook({ name: "a" })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(expected);
    const { metadata } = ConnectError.from(error);
    expect(metadata.get("x-reason")).toBe("holiday");
    expect(metadata.get("content-type")).not.toContain("text/plain");
    expect(metadata.get("date")).not.toBe(RELAYED.date);
  });

  test("has its own headers in a stream", async () => {
    const read = async () => {
      for await (const _book of createClient(ShelfService, transportTo(server.url)).watchBook({ name: "a" }));
    };
    await expect(read()).rejects.toMatchObject(expected);
  });
});

test("over REST, it has its own headers", async () => {
  const response = await fetch(`${server.url}/v1/shelves/1/books/2`);
  expect(response.status).toBe(404);
  expect(response.headers.get("x-reason")).toBe("holiday");
  expect(await response.json()).toMatchObject({ error: { message: "closed" } });
});

test("a handler that sets the length of the body gets an error", async () => {
  const client = createClient(
    ShelfService,
    createConnectTransport({ httpVersion: "1.1", baseUrl: server.url }),
  );
  await expect(client.getBook({ name: "length" })).rejects.toMatchObject({ code: Code.Internal });
  expect(onError.mock.calls).toMatchObject([
    [{ message: "the server sends the header content-length itself" }, ShelfService.method.getBook],
  ]);
});
