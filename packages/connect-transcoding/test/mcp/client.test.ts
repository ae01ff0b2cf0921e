import { Code } from "@connectrpc/connect";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clientAddressKey } from "../../src/call/context-keys.js";
import { mcpPage } from "../../src/mcp/index.js";
import { useOnePort } from "../support/servers.js";

const records: unknown[] = [];
const NAME = "shelves/1/books/2";
/** Called when a call that waits has begun, and when it has been cancelled. */
let onWait = (): void => {};
let onCancel = (): void => {};

const server = useOnePort({
  routes: shelfRoutes({
    getBook: ({ name, view }, { values, signal, requestHeader }) => {
      if (name === "wait") {
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            onCancel();
            resolve({});
          });
          onWait();
        });
      }
      return {
        name,
        title: `${values.get(clientAddressKey)} ${requestHeader.get("x-reader")}`,
        authorNames: [view],
      };
    },
  }),
  transcoding: {
    onRequest: (request) => {
      request.principal = "Ada";
    },
    observers: [
      {
        onEnd: ({ protocol, method, code, status, principal }) =>
          records.push([protocol, method?.name, code, status, principal]),
      },
    ],
    pages: new Map([
      [
        "/mcp",
        mcpPage({
          info: { name: "library", version: "1.0.0" },
          instructions: "Ask for books.",
          comments: async () => ({ "test.Service.GetBook": "Returns a book. It must exist." }),
          tool: ({ name }) =>
            name === "CreateBook" ? { name: "add_book", defaults: { parent: "shelves/9" } } : {},
        }),
      ],
    ]),
  },
});

describe.each([
  ["2025-11-25", {}],
  ["2026-07-28", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
] as const)("the official client in revision %s", (version, options) => {
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  const call = (name: string, args: Record<string, unknown>, more = {}) =>
    client.callTool({ name, arguments: args }, more) as Promise<CallToolResult>;

  beforeAll(() =>
    client.connect(
      new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
        requestInit: { headers: { "x-reader": "Ada" } },
      }),
    ),
  );
  afterAll(() => client.close());
  beforeEach(() => {
    records.length = 0;
  });

  test("negotiates the revision", () => {
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: "library", version: "1.0.0" });
    expect(client.getInstructions()).toBe("Ask for books.");
  });

  test("lists methods as tools", async () => {
    const { tools } = await client.listTools();
    expect(
      tools.map(({ name, title, description, annotations }) => [name, title, description, annotations]),
    ).toEqual([
      ["service_get_book", "Returns a book", "Returns a book. It must exist.", { readOnlyHint: true }],
      ["add_book", "CreateBook", "CreateBook", { readOnlyHint: false }],
      ["service_watch_book", "WatchBook", "WatchBook", { readOnlyHint: true }],
    ]);
    expect(tools[1]?.inputSchema.properties?.parent).toEqual({ type: "string", default: "shelves/9" });
    expect(tools[2]?.inputSchema.properties?.max_items).toMatchObject({ maximum: 1000, default: 100 });
  });

  test("calls a tool, which is one record", async () => {
    const result = await call("service_get_book", { name: NAME });
    const book = { name: NAME, title: "127.0.0.1 Ada" };
    expect(result.structuredContent).toMatchObject(book);
    expect(result.content).toEqual([{ type: "text", text: JSON.stringify(result.structuredContent) }]);
    expect(records).toEqual([["mcp", "GetBook", undefined, 200, "Ada"]]);
  });

  test("receives errors that a model can correct", async () => {
    expect(await call("service_get_book", { name: NAME, titel: "x" })).toMatchObject({
      isError: true,
      content: [
        {
          type: "text",
          text: "INVALID_ARGUMENT (INVALID_PARAMETERS): titel: is not a parameter here; allowed: name, view",
        },
      ],
    });
    expect(records).toEqual([["mcp", "GetBook", Code.InvalidArgument, 200, "Ada"]]);
  });

  test("adds defaults", async () => {
    expect((await call("add_book", { book: { name: "3" } })).structuredContent).toMatchObject({
      name: "shelves/9/books/3",
    });
  });

  test("receives a stream up to max_items", async () => {
    const all = await call("service_watch_book", { name: NAME });
    expect(all.structuredContent).toMatchObject({ items: [{ pages: 1 }, { pages: 2 }, { pages: 3 }] });
    const two = await call("service_watch_book", { name: NAME, max_items: 2 });
    expect(two.structuredContent).toMatchObject({
      items: [{ pages: 1 }, { pages: 2 }],
      note: "the result ends after 2 messages; there are more: raise max_items, or narrow the request",
    });
    expect(await call("service_watch_book", { name: NAME, max_items: 0 })).toMatchObject({
      isError: true,
      content: [{ text: "INVALID_ARGUMENT: max_items: must be an integer from 1 to 1000" }],
    });
  });

  test("rejects a tool that does not exist", async () => {
    await expect(call("collect_books", {})).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining("unknown tool: collect_books"),
    });
  });

  test("cancels a call", async () => {
    const controller = new AbortController();
    const cancelled = new Promise<void>((resolve) => {
      onCancel = resolve;
    });
    onWait = () => controller.abort();
    await expect(call("service_get_book", { name: "wait" }, { signal: controller.signal })).rejects.toThrow();
    await cancelled;
  });

  test("a disconnect cancels a call", async () => {
    const other = new Client({ name: "test", version: "1.0.0" }, options);
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`));
    await other.connect(transport);
    const cancelled = new Promise<void>((resolve) => {
      onCancel = resolve;
    });
    onWait = () => void transport.close();
    await expect(other.callTool({ name: "service_get_book", arguments: { name: "wait" } })).rejects.toThrow();
    await cancelled;
  });
});
