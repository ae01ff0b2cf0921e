import {
  Server,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { createServer } from "connect-transcoding";
import {
  addItem,
  type Fields,
  type Item,
  itemAt,
  type ListRequest,
  loadStreamSchema,
  noItems,
  type Total,
} from "../stream-schema.js";
import { listenGrpc } from "./grpc-js.js";

/** Streams on our engine and its server. */
export async function startEngineStreams(): Promise<string> {
  const { service } = loadStreamSchema();
  const server = createServer({
    routes: (router) =>
      router.service(service, {
        async *list({ prefix, count }) {
          for (let index = 0; index < count; index++) {
            yield itemAt(prefix, index);
          }
        },
        async collect(items) {
          const total = noItems();
          for await (const item of items) {
            addItem(total, item);
          }
          return total;
        },
        async *echo(items) {
          for await (const { text, number } of items) {
            yield { text, number };
          }
        },
      }),
  });
  const { port } = await server.listen("127.0.0.1", 0);
  return `http://127.0.0.1:${port}`;
}

/** The same on grpc-js with definitions that proto-loader creates (protobufjs). */
export function startGrpcJsStreams(): Promise<string> {
  const { definition } = loadStreamSchema();
  const server = new Server();
  server.addService(definition, {
    list: (call: ServerWritableStream<ListRequest, Fields<Item>>) => {
      const { prefix, count } = call.request;
      for (let index = 0; index < count; index++) {
        call.write(itemAt(prefix, index));
      }
      call.end();
    },
    collect: (call: ServerReadableStream<Item, Fields<Total>>, respond: sendUnaryData<Fields<Total>>) => {
      const total = noItems();
      call.on("data", (item: Item) => addItem(total, item));
      call.on("end", () => respond(null, total));
    },
    echo: (call: ServerDuplexStream<Item, Fields<Item>>) => {
      call.on("data", ({ text, number }: Item) => call.write({ text, number }));
      call.on("end", () => call.end());
    },
  });
  return listenGrpc(server);
}
