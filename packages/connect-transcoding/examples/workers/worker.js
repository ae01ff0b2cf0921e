// Cloudflare Workers serve the library: `npx wrangler dev` in this folder.
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { routes } from "../library/books.js";

const handle = createTranscodingHandler({
  routes,
  openapi: { title: "Library", version: "1.0.0" },
  docs: true,
});

export default {
  /** @param {Request} request */
  fetch: (request) =>
    new URL(request.url).pathname === "/hello" ? Response.json({ hello: "Workers" }) : handle(request),
};
