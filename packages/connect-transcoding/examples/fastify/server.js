// Fastify serves the library, over HTTP/2 so that gRPC works as well, beside routes of its own.
import { fastifyTranscodingPlugin } from "connect-transcoding/fastify";
import { fastify } from "fastify";
import { routes } from "../library/books.js";

const app = fastify({ http2: true });
await app.register(fastifyTranscodingPlugin, { routes });
app.get("/hello", () => ({ hello: "Fastify" }));

console.log(await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 8080) }));
