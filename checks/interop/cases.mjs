// The cases of gRPC's interop tests as a table, for clients whose own programs no registry has. Each is a call and what the client must get:
// `code`, `message`, `sizes` (the payloads of the responses), `sum` (of aggregated_payload_size), `header` and `trailer` (echoed).
// https://github.com/grpc/grpc/blob/master/doc/interop-test-descriptions.md

const SIZES = [
  [27_182, 31_415],
  [8, 9],
  [1_828, 2_653],
  [45_904, 58_979],
];
const payload = (size) => ({ body: Buffer.alloc(size).toString("base64") });
const output = (request, response) => ({
  responseParameters: [{ size: response }],
  payload: payload(request),
});

const LARGE = { responseSize: 314_159, payload: payload(271_828) };
const METADATA = {
  "x-grpc-test-echo-initial": "test_initial_metadata_value",
  "x-grpc-test-echo-trailing-bin": "CgsKCwoL",
};
const ECHOED = { header: "test_initial_metadata_value", trailer: "CgsKCwoL" };
const STATUS = { code: 2, message: "test status message" };
const SPECIAL = { code: 2, message: "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n" };

/** A list of `[name, method, requests, expected, how]`. `how` has `conversation`, `cancelAfter` (responses), `timeout`, `metadata`, `gzip`. */
export const CASES = [
  ["empty_unary", "EmptyCall", [{}], { sizes: [0] }],
  ["large_unary", "UnaryCall", [LARGE], { sizes: [314_159] }],
  ["client_compressed_unary, without probe", "UnaryCall", [LARGE], { sizes: [314_159] }, { gzip: true }],
  [
    "client_streaming",
    "StreamingInputCall",
    SIZES.map(([size]) => ({ payload: payload(size) })),
    { sizes: [0], sum: 74_922 },
  ],
  [
    "client_compressed_streaming, without probe",
    "StreamingInputCall",
    [{ payload: payload(27_182) }, { payload: payload(45_904) }],
    { sizes: [0], sum: 73_086 },
    { gzip: true },
  ],
  [
    "server_streaming",
    "StreamingOutputCall",
    [{ responseParameters: SIZES.map(([, size]) => ({ size })) }],
    { sizes: SIZES.map(([, size]) => size) },
  ],
  [
    "ping_pong",
    "FullDuplexCall",
    SIZES.map((each) => output(...each)),
    { sizes: SIZES.map(([, size]) => size) },
    { conversation: true },
  ],
  ["empty_stream", "FullDuplexCall", [], {}],
  ["cancel_after_begin", "StreamingInputCall", [], { code: 1 }, { cancelAfter: 0 }],
  [
    "cancel_after_first_response",
    "FullDuplexCall",
    [output(27_182, 31_415)],
    { code: 1, sizes: [31_415] },
    { conversation: true, cancelAfter: 1 },
  ],
  [
    "timeout_on_sleeping_server",
    "FullDuplexCall",
    [{ payload: payload(27_182) }],
    { code: 4 },
    // Without a response to wait for, the request stream stays open.
    { conversation: true, timeout: 1 },
  ],
  ["custom_metadata", "UnaryCall", [{ responseSize: 1 }], { sizes: [1], ...ECHOED }, { metadata: METADATA }],
  [
    "custom_metadata, stream",
    "FullDuplexCall",
    [output(1, 1)],
    { sizes: [1], ...ECHOED },
    { metadata: METADATA },
  ],
  ["status_code_and_message", "UnaryCall", [{ responseStatus: STATUS }], STATUS],
  ["status_code_and_message, stream", "FullDuplexCall", [{ responseStatus: STATUS }], STATUS],
  ["special_status_message", "UnaryCall", [{ responseStatus: SPECIAL }], SPECIAL],
  ["unimplemented_method", "UnimplementedCall", [{}], { code: 12 }],
  ["unimplemented_service", "grpc.testing.UnimplementedService/UnimplementedCall", [{}], { code: 12 }],
].map(([name, method, requests, expected, how = {}]) => ({
  ...{ name, requests, ...how },
  path: method.includes("/") ? `/${method}` : `/grpc.testing.TestService/${method}`,
  expected: { code: 0, sizes: [], ...expected },
}));
