import {
  Server,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { createServer } from "connect-transcoding";
import { type Item, itemAt, loadStreamSchema } from "../stream-schema.js";
import { listenGrpc } from "./grpc-js.js";

/** Streams on our engine and its server. */
export async function startEngineStreams(): Promise<string> {
  const { service } = loadStreamSchema();
  const server = createServer({
    routes: (router) =>
      router.service(service, {
        async *list({ text, number }) {
          for (let index = 0; index < number; index++) {
            yield itemAt(text, index);
          }
        },
        async collect(items) {
          const total = { text: "", number: 0 };
          for await (const item of items) {
            add(total, item);
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
  const server = new Server();
  server.addService(loadStreamSchema().definition, {
    list: (call: ServerWritableStream<Item, Item>) => {
      const { text, number } = call.request;
      for (let index = 0; index < number; index++) {
        call.write(itemAt(text, index));
      }
      call.end();
    },
    collect: (call: ServerReadableStream<Item, Item>, respond: sendUnaryData<Item>) => {
      const total = { text: "", number: 0 };
      call.on("data", (item: Item) => add(total, item));
      call.on("end", () => respond(null, total));
    },
    echo: (call: ServerDuplexStream<Item, Item>) => {
      call.on("data", ({ text, number }: Item) => call.write({ text, number }));
      call.on("end", () => call.end());
    },
  });
  return listenGrpc(server);
}

function add(total: Item, { text, number }: Item): void {
  total.text = text;
  total.number += number;
}
