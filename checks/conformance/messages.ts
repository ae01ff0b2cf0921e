import type { Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import type { Any } from "@bufbuild/protobuf/wkt";

// The types of the suite's messages, as generated code would declare them. The descriptors are loaded at run time.
// Parts that only the suite's reference servers need are omitted.
// https://github.com/connectrpc/conformance/tree/main/proto/connectrpc/conformance/v1

type Typed<Name extends string, Fields> = GenMessage<Message<`connectrpc.conformance.v1.${Name}`> & Fields>;

/** Metadata with one name. Values of `-bin` keys are in base64. */
export type Header = Message<"connectrpc.conformance.v1.Header"> & {
  name: string;
  value: string[];
};

/** The error that a request specifies. */
export type RequestedError = Message<"connectrpc.conformance.v1.Error"> & {
  code: number;
  message?: string;
  details: Any[];
};

/** The response that a unary request specifies. */
export type UnaryPlan = Message<"connectrpc.conformance.v1.UnaryResponseDefinition"> & {
  responseHeaders: Header[];
  response:
    | { case: "responseData"; value: Uint8Array }
    | { case: "error"; value: RequestedError }
    | { case: undefined; value?: undefined };
  responseTrailers: Header[];
  responseDelayMs: number;
};

/** The responses that a streaming request specifies. */
export type StreamPlan = Message<"connectrpc.conformance.v1.StreamResponseDefinition"> & {
  responseHeaders: Header[];
  responseData: Uint8Array[];
  responseDelayMs: number;
  error?: RequestedError;
  responseTrailers: Header[];
};

/** What the server received. */
export type RequestInfo = Message<"connectrpc.conformance.v1.ConformancePayload.RequestInfo"> & {
  requestHeaders: Header[];
  timeoutMs?: bigint;
  requests: Any[];
};

/** The payload of a response. */
export type Payload = Message<"connectrpc.conformance.v1.ConformancePayload"> & {
  data: Uint8Array;
  requestInfo?: RequestInfo;
};

interface UnaryRequest {
  responseDefinition?: UnaryPlan;
}

interface StreamRequest {
  responseDefinition?: StreamPlan;
}

interface Response {
  payload?: Payload;
}

/** The service that the suite calls. */
export type ConformanceService = GenService<{
  unary: {
    methodKind: "unary";
    input: Typed<"UnaryRequest", UnaryRequest>;
    output: Typed<"UnaryResponse", Response>;
  };
  idempotentUnary: {
    methodKind: "unary";
    input: Typed<"IdempotentUnaryRequest", UnaryRequest>;
    output: Typed<"IdempotentUnaryResponse", Response>;
  };
  unimplemented: {
    methodKind: "unary";
    input: Typed<"UnimplementedRequest", unknown>;
    output: Typed<"UnimplementedResponse", unknown>;
  };
  clientStream: {
    methodKind: "client_streaming";
    input: Typed<"ClientStreamRequest", UnaryRequest>;
    output: Typed<"ClientStreamResponse", Response>;
  };
  serverStream: {
    methodKind: "server_streaming";
    input: Typed<"ServerStreamRequest", StreamRequest>;
    output: Typed<"ServerStreamResponse", Response>;
  };
  bidiStream: {
    methodKind: "bidi_streaming";
    input: Typed<"BidiStreamRequest", StreamRequest & { fullDuplex: boolean }>;
    output: Typed<"BidiStreamResponse", Response>;
  };
}>;

/** The suite's configuration of the server. */
export type ServerCompatRequest = Typed<
  "ServerCompatRequest",
  { messageReceiveLimit: number; httpVersion: number }
>;

/** The address of the server. */
export type ServerCompatResponse = Typed<"ServerCompatResponse", { host: string; port: number }>;
