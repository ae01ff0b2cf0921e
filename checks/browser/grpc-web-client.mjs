// Google's gRPC-Web client with messages of protobuf-es. grpc-web.mjs bundles it and runs it in a page.
import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { GeoIpService } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { Health } from "connect-transcoding/gen/health/v1/health_pb.js";
import { GrpcWebClientBase, MethodDescriptor } from "grpc-web";

const METHODS = { ...GeoIpService.method, ...Health.method };

/** Returns the arguments of the client's methods. */
function argumentsFor(baseUrl, method, request, metadata) {
  const path = `/${method.parent.typeName}/${method.name}`;
  const descriptor = new MethodDescriptor(
    path,
    method.methodKind,
    Object,
    Object,
    (message) => toBinary(method.input, message),
    (bytes) => fromBinary(method.output, bytes),
  );
  return [baseUrl + path, create(method.input, request), metadata, descriptor];
}

/** Calls a unary method. Resolves to the response as JSON, or to the error. */
globalThis.callUnary = async ({ format, baseUrl, name, request, metadata = {} }) => {
  const method = METHODS[name];
  const client = new GrpcWebClientBase({ format });
  try {
    const message = await client.unaryCall(...argumentsFor(baseUrl, method, request, metadata));
    return { message: toJson(method.output, message) };
  } catch (error) {
    return { code: error.code, text: error.message, metadata: error.metadata };
  }
};

/** Calls a method with a stream of responses. Resolves to its events when it has ended, or after so many messages. */
globalThis.callStream = ({ format, baseUrl, name, request, metadata = {}, messages = Infinity }) =>
  new Promise((resolve) => {
    const method = METHODS[name];
    const client = new GrpcWebClientBase({ format });
    const events = [];
    let received = 0;
    const stream = client.serverStreaming(...argumentsFor(baseUrl, method, request, metadata));
    stream.on("data", (message) => {
      events.push(toJson(method.output, message));
      received += 1;
      if (received === messages) {
        stream.cancel();
        resolve(events);
      }
    });
    stream.on("status", ({ code, details }) => events.push([code, details]));
    stream.on("end", () => resolve(events));
  });
