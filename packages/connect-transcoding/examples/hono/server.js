// Hono serves the library beside routes of its own. On Bun, Deno and Workers, export `app` instead of calling `serve`.
import { serve } from "@hono/node-server";
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { Hono } from "hono";
import { routes } from "../library/books.js";

const handle = createTranscodingHandler({ routes });
const app = new Hono();
app.get("/hello", (context) => context.json({ hello: "Hono" }));
app.all("*", (context) => handle(context.req.raw));

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 8080) }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`);
});
