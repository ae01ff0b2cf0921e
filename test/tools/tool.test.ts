import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createContextValues } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { createServer } from "connect-transcoding";
import {
  ServerReflection,
  ServerReflectionResponseSchema,
} from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { quotaKey } from "connect-transcoding-operations/access/quota";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTool } from "../../src/tools/tool.js";

// A tool with a request stream, for which the service of reflection stands in.

const charged: number[] = [];
const { routes } = createTool(ServerReflection, {
  async *serverReflectionInfo(requests) {
    for await (const { host } of requests) {
      yield create(ServerReflectionResponseSchema, { validHost: host });
    }
  },
});
const server = createServer({
  routes,
  contextValues: () =>
    createContextValues().set(quotaKey, {
      limit: 3,
      charge: (cost) => {
        if (charged.push(cost) === 3) {
          throw new ConnectError("too many requests", Code.ResourceExhausted);
        }
      },
    }),
});
let port = 0;
beforeAll(async () => {
  ({ port } = await server.listen("127.0.0.1", 0));
});
afterAll(() => server.close(0));

test("each message of a request stream but the first is charged, before the implementation gets it", async () => {
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
  const requests = async function* () {
    yield* ["a", "b", "c", "d", "e"].map((host) => ({ host }));
  };
  const received: string[] = [];
  const read = async () => {
    for await (const { validHost } of client.serverReflectionInfo(requests())) {
      received.push(validHost);
    }
  };
  await expect(read()).rejects.toThrow("[resource_exhausted] too many requests");
  expect([received, charged]).toEqual([
    ["a", "b", "c"],
    [1, 1, 1],
  ]);
});
