// Prints the OpenAPI document of a library that authenticates all requests except those that only read.
import { readFileSync } from "node:fs";
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { requestLimit } from "connect-transcoding";
import { commentsOf, openApiDocument } from "connect-transcoding/openapi";
import { readHttpBindings } from "connect-transcoding/rules";
import { LibraryService } from "./gen/google/example/library/v1/library_pb.js";

// Written by `buf build`, with the comments of the proto file.
const image = readFileSync(new URL("gen/library.binpb", import.meta.url));

const document = openApiDocument(
  LibraryService.methods.flatMap((method) => readHttpBindings(method)),
  {
    info: { title: "Library", version: "1.0.0", description: "Books on shelves." },
    comments: commentsOf(fromBinary(FileDescriptorSetSchema, image).file),
  },
  {
    baseUrl: "https://library.example.com",
    requestLimit: requestLimit(),
    securitySchemes: {
      token: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
      key: { type: "apiKey", in: "header", name: "X-Api-Key" },
    },
    methodSecurity: ({ name }) => (/^(?:Get|List)/.test(name) ? [] : undefined),
  },
);

console.log(JSON.stringify(document, null, 2));
