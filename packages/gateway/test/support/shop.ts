import { join } from "node:path";
import {
  type GrpcObject,
  loadPackageDefinition,
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceClientConstructor,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { onTestFinished } from "vitest";

interface Item {
  readonly name: string;
  readonly price?: number;
}

/** Starts a server of grpc-js with reflection, until the test ends. Returns its URL. */
export async function startShop(): Promise<string> {
  const definition = loadSync(join(import.meta.dirname, "..", "proto", "shop.proto"), { keepCase: true });
  const { v1 } = loadPackageDefinition(definition).shop as GrpcObject;
  const { Shop } = v1 as Record<string, ServiceClientConstructor>;
  if (Shop === undefined) {
    throw new Error("the proto file has the service");
  }
  const server = new Server();
  server.addService(Shop.service, {
    GetItem: ({ request, metadata }: ServerUnaryCall<Item, Item>, callback: sendUnaryData<Item>) => {
      if (request.name === "missing") {
        const details = new Metadata();
        details.set("x-reason", "sold");
        callback({ code: 5, details: "no such item", metadata: details });
        return;
      }
      const trailer = new Metadata();
      trailer.set("x-seen", String(metadata.get("x-reader")[0] ?? ""));
      callback(null, { name: request.name, price: 5 }, trailer);
    },
    WatchItem: (call: ServerWritableStream<Item, Item>) => {
      call.write({ name: call.request.name, price: 1 });
      call.write({ name: call.request.name, price: 2 });
      call.end();
    },
  });
  new ReflectionService(definition).addToServer(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return `http://127.0.0.1:${port}`;
}
