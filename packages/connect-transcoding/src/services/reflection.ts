import { createRegistry, type DescFile, type DescService, type Registry, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import { file_google_rpc_status } from "../../gen/google/rpc/status_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import type { RouteOptions } from "../routes/route-options.js";
import { type TranscodingRouter, withDependencies } from "../routes/served-methods.js";

/** Errors have details of these files, which the files of services need not import. */
const ERROR_FILES: readonly DescFile[] = [file_google_rpc_error_details, file_google_rpc_status];

/**
 * Routes of gRPC server reflection, v1 and v1alpha, for some services. Both versions list themselves as well. The types of
 * `google/rpc/error_details.proto` and `google/rpc/status.proto` are always known, so that clients can print errors.
 * https://github.com/grpc/grpc/blob/v1.70.0/doc/server-reflection.md
 *
 * @param options as for `router.service`, for example `interceptors`
 */
export function reflectionRoutes(
  services: readonly DescService[],
  options?: RouteOptions,
): (router: TranscodingRouter) => void {
  const respond = createReflection([...services, ServerReflection, ServerReflectionV1Alpha]);
  async function* serverReflectionInfo(requests: AsyncIterable<ReflectionRequest>) {
    for await (const request of requests) {
      yield respond(request);
    }
  }
  return (router) =>
    router
      .service(ServerReflection, { serverReflectionInfo }, options)
      .service(ServerReflectionV1Alpha, { serverReflectionInfo }, options);
}

/** The requests of both versions, whose generated types differ in name only. */
interface ReflectionRequest {
  readonly host: string;
  readonly messageRequest:
    | { readonly case: "fileByFilename"; readonly value: string }
    | { readonly case: "fileContainingSymbol"; readonly value: string }
    | {
        readonly case: "fileContainingExtension";
        readonly value: { readonly containingType: string; readonly extensionNumber: number };
      }
    | { readonly case: "allExtensionNumbersOfType"; readonly value: string }
    | { readonly case: "listServices"; readonly value: string }
    | { readonly case: undefined; readonly value?: undefined };
}

function createReflection(services: readonly DescService[]) {
  // The files of the services come last, because they replace types and files with the same names.
  const files = withDependencies([...ERROR_FILES, ...services.map(({ file }) => file)]);
  const registry = createRegistry(...files);
  const filesByName = new Map(files.map((file) => [file.proto.name, file]));
  const serviceNames = [...new Set(services.map(({ typeName }) => typeName))].sort();
  // Encoding the files of a service takes milliseconds, and a client can request them at any rate.
  const encodedFiles = new Map<DescFile, Uint8Array>();

  function encode(file: DescFile): Uint8Array {
    const bytes = encodedFiles.get(file) ?? toBinary(FileDescriptorProtoSchema, file.proto);
    encodedFiles.set(file, bytes);
    return bytes;
  }

  function fileResponse(file: DescFile | undefined) {
    if (file === undefined) {
      return errorResponse(Code.NotFound, "unknown file, symbol or extension");
    }
    const fileDescriptorProto = withDependencies([file]).reverse().map(encode);
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } } as const;
  }

  const responseTo = ({ messageRequest }: ReflectionRequest) => {
    switch (messageRequest.case) {
      case "fileByFilename":
        return fileResponse(filesByName.get(messageRequest.value));
      case "fileContainingSymbol":
        return fileResponse(fileOfSymbol(registry, messageRequest.value));
      case "fileContainingExtension": {
        const { containingType, extensionNumber } = messageRequest.value;
        const extendee = registry.getMessage(containingType);
        return fileResponse(extendee && registry.getExtensionFor(extendee, extensionNumber)?.file);
      }
      case "allExtensionNumbersOfType":
        return extensionNumbers(registry, messageRequest.value);
      case "listServices": {
        const service = serviceNames.map((name) => ({ name }));
        return { case: "listServicesResponse", value: { service } } as const;
      }
      case undefined:
        return errorResponse(Code.InvalidArgument, "the request asks for nothing");
    }
  };
  return (request: ReflectionRequest) => ({
    validHost: request.host,
    originalRequest: { host: request.host, messageRequest: request.messageRequest },
    messageResponse: responseTo(request),
  });
}

/** The file that declares a type, an extension, or a method of a service. */
function fileOfSymbol(registry: Registry, symbol: string): DescFile | undefined {
  const declared = registry.get(symbol);
  if (declared !== undefined) {
    return declared.file;
  }
  const dot = symbol.lastIndexOf(".");
  const service = registry.getService(symbol.slice(0, Math.max(dot, 0)));
  return service?.methods.some(({ name }) => name === symbol.slice(dot + 1)) ? service.file : undefined;
}

function extensionNumbers(registry: Registry, baseTypeName: string) {
  if (registry.getMessage(baseTypeName) === undefined) {
    return errorResponse(Code.NotFound, "unknown message type");
  }
  const extensionNumber: number[] = [];
  for (const type of registry) {
    if (type.kind === "extension" && type.extendee.typeName === baseTypeName) {
      extensionNumber.push(type.number);
    }
  }
  return { case: "allExtensionNumbersResponse", value: { baseTypeName, extensionNumber } } as const;
}

function errorResponse(errorCode: Code, errorMessage: string) {
  return { case: "errorResponse", value: { errorCode, errorMessage } } as const;
}
