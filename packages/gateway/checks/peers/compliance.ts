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
import { check } from "connect-transcoding-testing/checks.mjs";
import type { Api } from "../gateway/programs.js";

/** Runs the compliance suite of showcase with our client and our gateway: the upstream must receive what the client sends. */
export async function checkCompliance(api: Api, port: number): Promise<void> {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(api.descriptors)));
  const service = registry.getService("peers.v1.Showcase");
  const transport = createRestTransport({ baseUrl: `http://127.0.0.1:${port}` });
  let methods: readonly string[] = [];
  for (const line of readFileSync(join(import.meta.dirname, "compliance.txt"), "utf8").split("\n")) {
    if (!line.startsWith("{")) {
      methods = line.split(" ").slice(1);
      continue;
    }
    const json: JsonObject = JSON.parse(line);
    for (const method of methods) {
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
      check(`compliance: ${method}: ${json.name}`, found === "", found);
    }
  }
}
