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

/** The names of programs, methods whose rules they do not accept, and why. */
export const UNSUPPORTED: readonly (readonly [peer: string, method: RegExp, why: string])[] = [
  ["grpc-gateway", /ContentService/, "the generator rejects path parameters of client streams"],
  ["vanguard", /\.(DoubleColon|CreateNestedBodyOneof|GetRepeatedQuery)$/, "rejected as by ours"],
  ["Envoy", /\.DoubleColon$/, "rejected as by ours"],
  [
    "Envoy",
    /ResponseBody|Response(Bodies|Strings)$|\.(GetCheckout|ListCheckouts)$/,
    "response_body is for google.api.HttpBody alone",
  ],
  ["ours", /\.DoubleColon$/, "the grammar of http.proto has a single custom verb"],
  ["ours", /\.CreateNestedBodyOneof$/, "http.proto: the body is a top-level field of the request"],
  ["ours", /\.GetRepeatedQuery$/, "http.proto: a path must not bind repeated fields"],
  ["ours", /\.StreamEmpty(Rpc|Stream)$/, "a stream without a body has no place for its messages"],
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
