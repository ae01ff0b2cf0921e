import type { JsonObject } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { createRestTransport } from "connect-transcoding/client";
import { type Abilities, callAll } from "./calls.js";

const TRANSPORTS = {
  Connect: (baseUrl: string) => createConnectTransport({ baseUrl }),
  "gRPC-Web": (baseUrl: string) => createGrpcWebTransport({ baseUrl }),
  REST: (baseUrl: string) => createRestTransport({ baseUrl }),
};

function callFromPage(
  protocol: keyof typeof TRANSPORTS,
  baseUrl: string,
  descriptors: string,
  able: Abilities,
): Promise<JsonObject> {
  return callAll(TRANSPORTS[protocol](baseUrl), base64Decode(descriptors), able);
}

Object.assign(globalThis, { callFromPage });
