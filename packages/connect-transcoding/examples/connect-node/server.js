// connect-node serves gRPC, gRPC-Web and Connect. Its fallback serves JSON over HTTP, and beside it a route of its own. Node has no server
// for HTTP/1.1 and HTTP/2 in cleartext, so there are two ports.
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createTranscodingAdapter } from "connect-transcoding";
import { routes } from "../library/books.js";

const rest = createTranscodingAdapter({
  routes,
  fallback(_request, response) {
    response.setHeader("content-type", "application/json");
    response.end('{"hello":"connect-node"}');
  },
});
const handler = connectNodeAdapter({ routes, fallback: rest });

const port = Number(process.env.PORT ?? 8080);
const urls = [createServer(handler), createHttp2Server(handler)].map(
  (server, index) =>
    new Promise((resolve) => {
      server.listen(port === 0 ? 0 : port + index, "127.0.0.1", () => {
        const address = server.address();
        resolve(`http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
      });
    }),
);
const [http1, http2] = await Promise.all(urls);
console.log(`ready on ${http1}, with gRPC on ${http2}`);
