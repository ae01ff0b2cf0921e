// Serves JSON over HTTP, gRPC, gRPC-Web and Connect on one port, with an OpenAPI document, reflection and health checks.
import { createServer, healthRoutes, reflectionRoutes, requestLimit } from "connect-transcoding";
import { openApiDocument } from "connect-transcoding/openapi";
import { readHttpBindings } from "connect-transcoding/rules";
import { routes } from "./books.js";
import { LibraryService } from "./gen/example/library/v1/library_pb.js";

const document = openApiDocument(
  LibraryService.methods.flatMap((method) => readHttpBindings(method)),
  { info: { title: "Library", version: "1.0.0", description: "Books on shelves." }, comments: {} },
  { baseUrl: undefined, requestLimit: requestLimit() },
);

const server = createServer({
  routes(router) {
    routes(router);
    reflectionRoutes([LibraryService])(router);
    healthRoutes({
      services: [LibraryService.typeName],
      isServing: () => true,
      isStopping: () => false,
      onChange: () => () => {},
    })(router);
  },
  transcoding: {
    errorDomain: "library.example.com",
    pages: new Map([
      [
        "/openapi.json",
        {
          status: 200,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(document),
        },
      ],
    ]),
  },
});

const { port } = await server.listen("127.0.0.1", Number(process.env.PORT ?? 8080));
console.log(`ready on http://127.0.0.1:${port}`);
process.once("SIGTERM", () => server.close(10_000));
