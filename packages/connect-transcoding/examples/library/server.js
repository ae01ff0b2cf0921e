// Serves JSON over HTTP, gRPC, gRPC-Web and Connect on one port, with an OpenAPI document, a reference, reflection and health checks.
import { createServer } from "connect-transcoding";
import { routes } from "./books.js";

const server = createServer({
  routes,
  openapi: { title: "Library", version: "1.0.0", description: "Books on shelves." },
  docs: true,
  health: true,
  reflection: true,
  transcoding: { errorDomain: "library.example.com" },
});

const { port } = await server.listen("127.0.0.1", Number(process.env.PORT ?? 8080));
console.log(`ready on http://127.0.0.1:${port}`);
process.once("SIGTERM", () => server.close(10_000));
