import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createFileRegistry,
  type DescMethodUnary,
  equals,
  fromBinary,
  fromJson,
  type JsonObject,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createRestTransport } from "connect-transcoding/client";
import { APIS, PEERS } from "../gateway/programs.js";
import type { KnownFailures } from "../lib/known.mjs";

/** The groups of showcase's compliance suite: each of the requests is a call of each of the methods. */
interface Group {
  readonly rpcs: readonly string[];
  readonly requests: readonly JsonObject[];
}

/** Runs the compliance suite of showcase with our client and our gateway: the upstream must receive what the client sends. */
export async function checkCompliance(upstream: number, { checkCase }: KnownFailures): Promise<void> {
  const api = APIS.showcase;
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(api.descriptors)));
  const service = registry.getService("peers.v1.Compliance");
  const program = await PEERS.ours?.(api, upstream, new Set());
  const transport = createRestTransport({ baseUrl: `http://127.0.0.1:${program?.port}` });
  const groups: Group[] = JSON.parse(readFileSync(join(import.meta.dirname, "compliance.json"), "utf8"));
  for (const { rpcs, requests } of groups) {
    for (const [method, json] of rpcs.flatMap((rpc) => requests.map((json) => [rpc, json] as const))) {
      const desc = service?.methods.find((each) => each.name === method);
      if (desc?.methodKind !== "unary") {
        throw new Error(`no method ${method}`);
      }
      const request = fromJson(desc.input, json);
      const found = await transport
        .unary(desc as DescMethodUnary, undefined, undefined, undefined, request)
        .then(
          ({ message }) => (equals(desc.input, message, request) ? "" : toJson(desc.output, message)),
          String,
        );
      checkCase(`compliance: ${method}: ${json.name}`, found === "", found);
    }
  }
  await program?.stop();
}
