import { create, createFileRegistry, type DescMessage, fromBinary, toJson } from "@bufbuild/protobuf";
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { file_google_rpc_error_details } from "@utility-tools/protos/google/rpc/error_details_pb.js";
import { StatusSchema } from "@utility-tools/protos/google/rpc/status_pb.js";
import { SERVICES } from "@utility-tools/protos/services.js";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "connect-transcoding/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { describe, expect, test } from "vitest";
import { realTools, useServer } from "../support/serve.js";

const server = useServer();

const LISTED = [
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
  ...Object.values(SERVICES).map(({ typeName }) => typeName),
].toSorted();

describe.each([
  ["v1", ServerReflection],
  ["v1alpha", ServerReflectionV1Alpha],
] as const)("reflection %s", (_version, service) => {
  async function ask(messageRequest: { case: "fileContainingSymbol" | "listServices"; value: string }) {
    // Both versions have equal messages with different names.
    const client = createClient(
      service as typeof ServerReflection,
      createGrpcTransport({ baseUrl: server.url }),
    );
    const responses = [];
    const requests = createAsyncIterable([{ host: "h", messageRequest }]);
    for await (const { messageResponse } of client.serverReflectionInfo(requests)) {
      responses.push(messageResponse);
    }
    return responses[0];
  }

  async function filesOf(symbol: string): Promise<FileDescriptorProto[]> {
    const response = await ask({ case: "fileContainingSymbol", value: symbol });
    return response?.case === "fileDescriptorResponse"
      ? response.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes))
      : [];
  }

  test("lists the services", async () => {
    const response = await ask({ case: "listServices", value: "" });
    expect(response?.case).toBe("listServicesResponse");
    const listed =
      response?.case === "listServicesResponse" ? response.value.service.map(({ name }) => name) : [];
    expect(listed).toEqual(LISTED);
  });

  test.each(LISTED)("returns a complete set of files for %s", async (symbol) => {
    const file = await filesOf(symbol);
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.toReversed() }));
    expect(registry.getService(symbol)?.typeName).toBe(symbol);
  });

  /** Returns the type of a detail of an error, as a client without generated code gets it. */
  async function detailType(symbol: string): Promise<DescMessage> {
    const file = await filesOf(symbol);
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: file.toReversed() }));
    const type = registry.getMessage(symbol);
    if (type === undefined) {
      throw new Error(`reflection does not know ${symbol}`);
    }
    return type;
  }

  test("is sufficient to print the details of an error", async () => {
    const client = createClient(GeoIpService, createGrpcTransport({ baseUrl: server.url }));
    const call = client.lookupIp({ ipAddress: "nonsense" });
    const error = await call.then(() => undefined, ConnectError.from);
    const details = (error?.details ?? []).filter((detail) => "type" in detail);
    const printed = details.map(async ({ type, value }) => {
      const desc = await detailType(type);
      return [type, toJson(desc, fromBinary(desc, value))];
    });
    expect(await Promise.all(printed)).toMatchObject([
      ["google.rpc.BadRequest", { fieldViolations: [{ field: "ip_address", reason: "INVALID_IP_ADDRESS" }] }],
      ["google.rpc.ErrorInfo", { reason: "INVALID_PARAMETERS", domain: "utilitytools" }],
    ]);
  });

  test.each([StatusSchema, ...file_google_rpc_error_details.messages].map(({ typeName }) => typeName))(
    "knows %s",
    async (symbol) => {
      expect((await detailType(symbol)).typeName).toBe(symbol);
    },
  );
});

test("every service of the release is listed", async () => {
  const names = (await realTools()).map(({ service }) => service.typeName);
  expect(LISTED).toEqual(expect.arrayContaining(names));
  expect(LISTED).toContain("utilitytools.v1.OtpService");
});
