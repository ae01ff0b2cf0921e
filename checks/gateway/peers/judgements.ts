import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A difference between a program and our gateway. */
export interface Judgement {
  /** The names of programs, or `*`. */
  readonly peers: readonly string[];
  /** Lines of the tables. */
  readonly request: RegExp;
  /** What differs: a part of the answer, ours and theirs. */
  readonly found: RegExp;
  readonly why: string;
}

/** Methods whose rules a program does not accept. */
interface Unsupported {
  readonly peer: string;
  readonly method: RegExp;
  readonly why: string;
}

export const UNSUPPORTED: readonly Unsupported[] = [
  {
    peer: "grpc-gateway",
    method: /ContentService/,
    why: "the generator rejects path parameters of client streams",
  },
  {
    peer: "vanguard",
    method: /\.(DoubleColon|CreateNestedBodyOneof|GetRepeatedQuery)$/,
    why: "rejected as by ours",
  },
  { peer: "Envoy", method: /\.DoubleColon$/, why: "rejected as by ours" },
  {
    peer: "Envoy",
    method: /ResponseBody|Response(Bodies|Strings)$|\.(GetCheckout|ListCheckouts)$/,
    why: "response_body is for google.api.HttpBody alone",
  },
  { peer: "ours", method: /\.DoubleColon$/, why: "the grammar of http.proto has a single custom verb" },
  {
    peer: "ours",
    method: /\.CreateNestedBodyOneof$/,
    why: "http.proto: the body is a top-level field of the request",
  },
  { peer: "ours", method: /\.GetRepeatedQuery$/, why: "http.proto: a path must not bind repeated fields" },
  {
    peer: "ours",
    method: /\.StreamEmpty(Rpc|Stream)$/,
    why: "a stream without a body has no place for its messages",
  },
];

/** The differences of judgements.txt. */
export const JUDGEMENTS: readonly Judgement[] = readFileSync(
  join(import.meta.dirname, "judgements.txt"),
  "utf8",
)
  .split("\n\n")
  .slice(1)
  .map((block) => {
    const [, peers = "", request = "", found = ".", why = ""] =
      /^\w+ (\S+)\n {2}(.+)(?:\n {2}found (.+))?\n {2}# (.+)\s*$/.exec(block) ?? [];
    return { peers: peers.split(","), request: new RegExp(request), found: new RegExp(found), why };
  });
