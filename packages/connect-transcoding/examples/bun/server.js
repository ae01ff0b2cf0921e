// Bun serves the library: `bun run examples/bun/server.js`.
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { routes } from "../library/books.js";

const handle = createTranscodingHandler({ routes });
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 8080),
  fetch: (request) =>
    new URL(request.url).pathname === "/hello" ? Response.json({ hello: "Bun" }) : handle(request),
});
console.log(server.url.origin);
