// gRPC, gRPC-Web and Connect, with connect-node.
import { createServer } from "node:http";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { routes } from "./eliza.js";

const server = createServer(connectNodeAdapter({ routes }));

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const address = server.address();
  console.log(`ready on http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});
