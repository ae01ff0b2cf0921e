// What the programs in documents use and do not declare: the library of the engine's examples.
import type { ConnectRouter } from "@connectrpc/connect";
import type { Documentation, OpenApiDocument, ServerDescription } from "connect-transcoding/openapi";
import type { HttpBinding } from "connect-transcoding/rules";
import type { LibraryService as Library } from "./gen/example/library/v1/library_pb.js";

declare global {
  const LibraryService: typeof Library;
  const bindings: readonly HttpBinding[];
  const document: OpenApiDocument;
  const documentation: Documentation;
  const routes: (router: ConnectRouter) => void;
  const server: ServerDescription;
  // @connectrpc/connect needs it, and only TypeScript's DOM library has it.
  type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
}
