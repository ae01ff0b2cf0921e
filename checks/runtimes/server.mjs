// Serves the methods of a small service with the host of `process.argv[2]`: `fetch` or `server`. Prints its URL.
import { createServer } from "connect-transcoding";
import { createTranscodingHandler } from "connect-transcoding/fetch";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";

const options = {
  routes: (router) =>
    router.service(Health, {
      check: () => ({ status: Status.SERVING }),
      list: () => ({ statuses: { "": { status: Status.SERVING } } }),
      async *watch() {
        for (const status of [Status.SERVING, Status.NOT_SERVING, Status.SERVING]) {
          yield { status };
        }
      },
    }),
  transcoding: {
    rules: [
      { selector: "grpc.health.v1.Health.Check", pattern: { case: "get", value: "/health" } },
      { selector: "grpc.health.v1.Health.Watch", pattern: { case: "get", value: "/watch" } },
    ],
  },
};

async function serveFetch() {
  const handle = createTranscodingHandler(options);
  if (globalThis.Bun !== undefined) {
    return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handle }).port;
  }
  if (globalThis.Deno !== undefined) {
    return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, handle).addr.port;
  }
  throw new Error("Node has no server with the interface of fetch");
}

const port =
  process.argv[2] === "fetch"
    ? await serveFetch()
    : (await createServer(options).listen("127.0.0.1", 0)).port;
console.log(`ready on http://127.0.0.1:${port}`);
