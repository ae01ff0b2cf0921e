// connect-node serves gRPC, gRPC-Web and Connect; its fallback serves JSON over HTTP, beside a route of its own.
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createTranscodingAdapter } from "connect-transcoding";
import { routes } from "../library/books.js";

const rest = createTranscodingAdapter({ routes, fallback: hello });
const handler = connectNodeAdapter({ routes, fallback: rest });
const servers = [createServer(handler), createHttp2Server(handler)]; // gRPC needs HTTP/2

/** @type {import("connect-transcoding").NodeHandler} */
function hello(_request, response) {
  response.setHeader("content-type", "application/json");
  response.end('{"hello":"connect-node"}');
}

const port = Number(process.env.PORT ?? 8080);
const urls = servers.map(
  (server, index) =>
    new Promise((resolve) => {
      server.listen(port === 0 ? 0 : port + index, "127.0.0.1", () => {
        const address = server.address();
        resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
      });
    }),
);
console.log(`ready on ${(await Promise.all(urls)).join(", with gRPC on ")}`);
