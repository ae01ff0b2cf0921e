/** A difference between a program and our gateway. */
export interface Judgement {
  readonly peer: RegExp;
  /** Lines of the tables. */
  readonly request: RegExp;
  /** What differs: a part of the answer, ours and theirs. */
  readonly found: RegExp;
  /** Who is right by google/api/http.proto. `both`: it leaves this open. */
  readonly right: "ours" | "peer" | "both";
  readonly why: string;
}

/** Methods whose rules a program does not accept. */
interface Unsupported {
  readonly peer: string;
  readonly method: RegExp;
  readonly why: string;
}

export const UNSUPPORTED: readonly Unsupported[] = [
  { peer: "grpc-gateway", method: /ContentService/, why: "the generator rejects path parameters of client streams" },
  { peer: "vanguard", method: /\.(DoubleColon|CreateNestedBodyOneof|GetRepeatedQuery)$/, why: "rejected as by ours" },
  { peer: "Envoy", method: /\.DoubleColon$/, why: "rejected as by ours" },
  {
    peer: "Envoy",
    method: /ResponseBody|Response(Bodies|Strings)$|\.(GetCheckout|ListCheckouts)$/,
    why: "response_body is for google.api.HttpBody alone",
  },
  { peer: "ours", method: /\.DoubleColon$/, why: "the grammar of http.proto has a single custom verb" },
  { peer: "ours", method: /\.CreateNestedBodyOneof$/, why: "http.proto: the body is a top-level field of the request" },
  { peer: "ours", method: /\.GetRepeatedQuery$/, why: "http.proto: a path must not bind repeated fields" },
  { peer: "ours", method: /\.StreamEmpty(Rpc|Stream)$/, why: "a stream without a body has no place for its messages" },
];

const [ANY, GRPC_GATEWAY, VANGUARD, ENVOY] = [/./, /^grpc-gateway$/, /^vanguard$/, /^Envoy$/];
/** Everything about an answer: the status and what follows from it. */
const ALL = /./;

type Row = readonly [Judgement["right"], peer: RegExp, request: RegExp, found: RegExp, why: string];

const ROWS: readonly Row[] = [
  // Requests with a body for rules without one.
  ["both", ANY, /^POST \/(v1\/example\/(echo\/myid|a_bit_of_everything\/1\.5\S+)|rpc\/empty\/rpc)(\?non-ascii)? \{\}$/, ALL, "http.proto: without `body`, there is no body; grpc-gateway and Envoy ignore it"],
  ["both", GRPC_GATEWAY, /echo\/myid1 num=1$/, ALL, "grpc-gateway takes a form as query parameters"],
  ["both", GRPC_GATEWAY, /params\/get\/foo\S* string_value=/, ALL, "grpc-gateway takes a POST with a form as GET"],

  // The path.
  ["ours", ANY, /resourceId=bad|nId=bad|echo\/myid1? |create\?string_value|deep_path.*body/, ALL, "a field of the path is not in the query or the body: a second value is an error of the client, which Envoy calls 502"],
  ["ours", /grpc-gateway|vanguard/, /%2F|%252F/i, ALL, "http.proto: a path is split before it is decoded, and a variable of several segments keeps %2F"],
  ["both", ANY, /\/10\/$|single\/\/end|parameters\/$/, ALL, "http.proto does not say whether a segment can be empty"],
  ["ours", ANY, /^(PUT|GET) .*(books\/1|echo\/myid)( \{\})?$|^POST .*params\/get\/foo/, ALL, "RFC 9110: a path without the method is 405"],

  // The query.
  ["ours", ANY, /create\?recursive\.string_value/, ALL, "http.proto: a field of the body is not in the query"],
  ["ours", ANY, /echo_body\?num=1/, ALL, "http.proto: with `body: \"*\"` there are no query parameters"],
  ["ours", ANY, /int32_value=1&int32_value=2|oneof_double_value=.*&oneof|line_num=1&lang/, ALL, "two values for one field, or for a oneof, are an error of the client: not a choice, and not 502"],
  ["both", ANY, /\?value=1$/, ALL, "http.proto does not say how google.protobuf.Value is a parameter"],
  ["both", ANY, /oneof_empty=$/, ALL, "http.proto does not say how a message without fields is a parameter"],
  ["ours", ANY, /map\w+\[|nested_map|query\/u\?nested\.name/, ALL, "http.proto: maps and repeated messages are not query parameters, which is a 400"],
  ["ours", VANGUARD, /string_value_wrapper=%22|enum_value=null/, ALL, "a parameter is text and not JSON: quotes belong to it, and null is no value of an enum"],
  ["ours", VANGUARD, /double_value_list/, ALL, "vanguard panics, which ends the program"],
  ["both", ENVOY, /hello\+world|%26\+b/, ALL, "RFC 3986 has no meaning for +; forms of browsers write a space so"],
  ["both", ENVOY, /float_value=34/, /^body/, "two spellings of one number of 32 bits"],
  ["ours", ANY, /unknown(Field|Param)/, ALL, "an unknown parameter is an error of the client, a 400; grpc-gateway ignores it"],

  // The body.
  ["ours", ANY, /"unknown":1|NO_SUCH_VALUE/, ALL, "ProtoJSON: parsers reject unknown fields and names by default"],
  ["both", ANY, /^POST \/parameters\/books\/1:create$/, /^body/, "an empty body is no message, or an empty one"],
  ["ours", GRPC_GATEWAY, /\{"id":"a"\}\{/, ALL, "two values are no JSON text"],
  ["ours", /grpc-gateway|Envoy/, /oneofenum/, ALL, "ProtoJSON: an enum is its name or its number"],
  ["ours", VANGUARD, /^POST \/v1\/example\/echo_body$/, ALL, "vanguard sends no message for an empty body, and no response"],
  ["ours", VANGUARD, /1:create |^POST .*(echo_body \{|\{"timestampValue":"y|echo hello)/, /^(status 400 500|error)/, "an invalid body is a 400"],

  // Field masks.
  ["ours", GRPC_GATEWAY, /echo_patch/, ALL, "a path cannot continue in a google.protobuf.Struct; with a mask in the query, grpc-gateway fails"],
  ["ours", ANY, /updateMask=createTime/, ALL, "ProtoJSON: a path in camel case is converted"],
  ["both", /vanguard|Envoy/, /^PATCH/, /updateMask "[\w.,]+" nothing$/, "AIP-134 asks the server of the method to fill in a mask; ours and grpc-gateway do so before"],
  ["both", GRPC_GATEWAY, /^PATCH/, /updateMask/, "the order of paths has no meaning"],

  ["both", VANGUARD, /update_mask=int32_value/, ALL, "AIP-161 writes names of proto files, ProtoJSON those of JSON: in a query, ours reads both"],

  // Deadlines.
  ["peer", ANY, /example\/timeout/, ALL, "the others take the deadline of grpc-timeout, also with REST"],

  // Streams. http.proto does not say how they are written.
  ["both", VANGUARD, /(stream|bulk)\b|^GET \/v1\/example\/a_bit_of_everything(\?error=true)?$|a_bit_of_everything\/echo|non-stream/, ALL, "vanguard has streams of google.api.HttpBody alone"],
  ["both", GRPC_GATEWAY, ANY, /^form/, "an array as from Google's servers, or lines with `result`"],
  ["both", ANY, /a_bit_of_everything\/echo( |$)/, ALL, "streams in both directions need HTTP/2 in ours"],
  ["both", ANY, /\/bulk/, ALL, "a request stream is an array, or lines with their own type; grpc-gateway has values one after another"],
  ["ours", ENVOY, /a_bit_of_everything\?error=true/, /^error/, "Envoy does not tell a client that a stream has failed"],
  ["ours", ANY, /download\?error=true/, ALL, "a client learns of a failed download by its broken connection alone: the others end it as if it were complete"],
  ["ours", GRPC_GATEWAY, /example\/download$/, ALL, "http.proto: the bytes of google.api.HttpBody are the body, without line feeds between them"],

  // Errors.
  ["ours", ENVOY, /^HEAD/, /Parse Error/, "RFC 9110: a response to HEAD has no body"],
  ["ours", ENVOY, ANY, /^error\.(code \d+ null|message ".*" "")$/, "Envoy has no body for errors without details"],
  ["both", /vanguard|Envoy/, ANY, /^(type "application\/json" "text\/plain"|error .* "not JSON")$/, "an error of the program itself is a text"],
  ["ours", VANGUARD, ANY, /^(status 400 500|error\.code \d+ [213]|type .* "broken connection"|error .* nothing)$/, "an invalid request is a 400 with a complete response"],
  ["both", ENVOY, /non_standard/, /^body\.(status|STATUS)/, "protobuf: of two JSON names in one message, either is printed"],
];

/** All differences. The first one that fits applies. */
export const JUDGEMENTS: readonly Judgement[] = ROWS.map(([right, peer, request, found, why]) => ({ right, peer, request, found, why }));
