import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { createUpstreamConnections } from "../../src/grpc/connection.js";

test("closing fails the calls that wait, and those that follow", () => {
  const codes: Code[] = [];
  const call = {
    onSession: () => true,
    onNoSession: ({ code }: { code: Code }) => codes.push(code),
  };
  const connections = createUpstreamConnections("http://127.0.0.1:1", {});
  connections.wait(call, 60_000);
  expect(codes).toEqual([]);
  connections.close();
  expect(codes).toEqual([Code.Unavailable]);
  connections.wait(call, 60_000);
  expect(codes).toEqual([Code.Unavailable, Code.Unavailable]);
});
