// Deno serves the library: `deno run --allow-net --allow-env --allow-read examples/deno/server.js`.
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { routes } from "../library/books.js";

const handle = createTranscodingHandler({ routes });
Deno.serve(
  {
    hostname: "127.0.0.1",
    port: Number(Deno.env.get("PORT") ?? 8080),
    onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
  },
  (request) =>
    new URL(request.url).pathname === "/hello" ? Response.json({ hello: "Deno" }) : handle(request),
);
