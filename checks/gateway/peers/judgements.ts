/** A difference between a program and our gateway. */
export interface Judgement {
  readonly peer: RegExp;
  /** Lines of the tables. */
  readonly request: RegExp;
  /** Parts of the answer. */
  readonly path: RegExp;
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

/** All differences. The first one that fits applies. */
export const JUDGEMENTS: readonly Judgement[] = [];
