import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient, type HandlerContext } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  type FileDescriptorResponse,
  ServerReflection,
} from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "connect-transcoding/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { LibraryService } from "connect-transcoding-testing/gen/library/v1/library_pb.js";
import { describe, expect, test } from "vitest";
import { collectMethods } from "../../src/routes/served-methods.js";
import { reflectionRoutes } from "../../src/services/reflection.js";
import { useOnePort } from "../support/servers.js";

const routes = reflectionRoutes([LibraryService]);
const server = useOnePort({ routes });
const LIBRARY_FILE = "library/v1/library.proto";

describe.each([
  ["v1", ServerReflection],
  ["v1alpha", ServerReflectionV1Alpha],
])("reflection %s", (_version, service) => {
  /** Sends requests over one stream, and returns the responses. */
  async function ask(...messageRequests: { case: string | undefined; value?: unknown }[]) {
    // Both versions have equal messages with different names.
    const transport = createGrpcTransport({ baseUrl: server.url });
    const client = createClient(service as typeof ServerReflection, transport);
    const requests = async function* () {
      for (const messageRequest of messageRequests) {
        yield { messageRequest: messageRequest as never };
      }
    };
    const responses = [];
    for await (const { messageResponse } of client.serverReflectionInfo(requests())) {
      responses.push(messageResponse);
    }
    return responses;
  }

  test("lists the services and itself", async () => {
    expect(await ask({ case: "listServices", value: "" })).toMatchObject([
      {
        case: "listServicesResponse",
        value: {
          service: [
            { name: "grpc.reflection.v1.ServerReflection" },
            { name: "grpc.reflection.v1alpha.ServerReflection" },
            { name: "library.v1.LibraryService" },
          ],
        },
      },
    ]);
  });

  test.each([
    ["fileByFilename", LIBRARY_FILE],
    ["fileContainingSymbol", "library.v1.LibraryService"],
    ["fileContainingSymbol", "library.v1.LibraryService.GetBook"],
    ["fileContainingSymbol", "library.v1.Book"],
  ])("returns a file and its imports: %s %s", async (kind, value) => {
    const [response] = await ask({ case: kind, value });
    if (response?.case !== "fileDescriptorResponse") {
      throw new Error("the response has no files");
    }
    const names = response.value.fileDescriptorProto.map(
      (bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name,
    );
    expect(names[0]).toBe(LIBRARY_FILE);
    expect(names).toContain("google/api/annotations.proto");
  });

  test("finds extensions", async () => {
    const containingType = "google.protobuf.MethodOptions";
    const [numbers, file] = await ask(
      { case: "allExtensionNumbersOfType", value: containingType },
      { case: "fileContainingExtension", value: { containingType, extensionNumber: 72_295_728 } },
    );
    expect(numbers).toMatchObject({
      value: { baseTypeName: containingType, extensionNumber: expect.arrayContaining([72_295_728]) },
    });
    expect(file?.case).toBe("fileDescriptorResponse");
  });

  test("returns an error for what it does not know, and goes on", async () => {
    const responses = await ask(
      { case: "fileByFilename", value: "nope.proto" },
      { case: "fileContainingSymbol", value: "library.v1.LibraryService.Nope" },
      { case: "fileContainingSymbol", value: "" },
      { case: "fileContainingExtension", value: { containingType: "nope", extensionNumber: 1 } },
      { case: "allExtensionNumbersOfType", value: "nope" },
      { case: undefined },
      { case: "listServices", value: "" },
    );
    const { NotFound, InvalidArgument } = Code;
    expect(
      responses.map((each) => (each.case === "errorResponse" ? each.value.errorCode : each.case)),
    ).toEqual([...Array(5).fill(NotFound), InvalidArgument, "listServicesResponse"]);
  });
});

test("encodes each file once, for all requests and both versions", async () => {
  const responses = collectMethods(routes).map(async ({ spec }) => {
    if (spec.kind !== "bidi_streaming") {
      throw new Error("reflection is a bidirectional stream");
    }
    const request = { host: "", messageRequest: { case: "fileByFilename", value: LIBRARY_FILE } };
    const requests = createAsyncIterable([request, request]) as AsyncIterable<never>;
    const files: Uint8Array[][] = [];
    for await (const { messageResponse } of spec.impl(requests, {} as HandlerContext)) {
      files.push((messageResponse as { value: FileDescriptorResponse }).value.fileDescriptorProto);
    }
    return files;
  });
  const [first = [], ...others] = (await Promise.all(responses)).flat();
  expect(others).toHaveLength(3);
  for (const files of others) {
    expect(files).toHaveLength(first.length);
    files.forEach((bytes, index) => {
      expect(bytes).toBe(first[index]);
    });
  }
});
