import {
  createFileRegistry,
  createRegistry,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { type CallOptions, ConnectError, createClient, type Transport } from "@connectrpc/connect";

// The client of the upstreams in this folder, for Node and for browsers.

/** What a client can do by its protocol. */
export interface Abilities {
  /** Request streams, and streams in both directions. */
  readonly requestStreams: boolean;
  /** Trailers: REST has none. */
  readonly trailers: boolean;
}

const ITEM = { name: "shelves/1/items/a b", price: 3, tags: ["x", "é/&"] };
/** FAILED_PRECONDITION. */
const ERROR = {
  code: 9,
  message: "the mirror is broken: 100 %, “really”",
  details: [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "BROKEN",
      domain: "mirror.example",
      metadata: { a: "b" },
    },
  ],
};

/** The results of {@link callAll} of a correct server. */
export function expectedResults({ requestStreams, trailers }: Abilities): JsonObject {
  const shelf = { name: "shelves/1" };
  return {
    unary: ITEM,
    header: "Ada",
    trailer: trailers ? "Ada" : null,
    hasDeadline: true,
    create: { parent: "shelves/1", item: ITEM, dryRun: true },
    list: [shelf, shelf, shelf],
    error: ERROR,
    failedList: [shelf, shelf, ERROR],
    deadline: 4,
    ...(requestStreams && {
      collect: { name: "only" },
      exchange: [{ name: "a" }, { name: "b" }, { name: "c" }],
    }),
  };
}

/** Calls all methods. Resolves to what they return, as JSON. */
export async function callAll(
  transport: Transport,
  descriptors: Uint8Array,
  { requestStreams }: Abilities,
): Promise<JsonObject> {
  const registry = createRegistry(createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors)));
  const service = registry.getService("mirror.v1.Mirror");
  if (service === undefined) {
    throw new Error("no service in the descriptors");
  }
  const client: Record<string, (request: unknown, options?: CallOptions) => unknown> = createClient(
    service,
    transport,
  );

  function request(name: string, value: JsonValue): Message {
    const input = service?.method[name]?.input;
    if (input === undefined) {
      throw new Error(`no method ${name}`);
    }
    return fromJson(input, value, { registry });
  }

  async function stream(name: string, value: unknown, options?: CallOptions): Promise<JsonValue[]> {
    const { output, methodKind } = service?.method[name] ?? {};
    const messages: JsonValue[] = [];
    try {
      const response = client[name]?.(value, options);
      const isOne = methodKind === "unary" || methodKind === "client_streaming";
      for await (const message of (isOne ? [response] : response) as AsyncIterable<Message>) {
        messages.push(output === undefined ? null : toJson(output, message, { registry }));
      }
    } catch (error) {
      messages.push(errorJson(error, registry));
    }
    return messages;
  }

  async function unary(name: string, value: unknown, options?: CallOptions): Promise<JsonObject> {
    const [response] = await stream(name, value, options);
    return response as JsonObject;
  }

  async function* items(...names: string[]) {
    for (const name of names) {
      yield request("exchangeItems", { name });
    }
  }

  const get = request("getItem", ITEM);
  const shelf = request("listItems", { name: "shelves/1" });
  const fail = { "x-fail": encode(ERROR, registry) };
  let header: Headers | undefined;
  let trailer: Headers | undefined;
  const options: CallOptions = {
    headers: { "x-echo": "Ada" },
    timeoutMs: 20_000,
    onHeader: (headers) => {
      header = headers;
    },
    onTrailer: (headers) => {
      trailer = headers;
    },
  };
  return {
    unary: await unary("getItem", get, options),
    header: header?.get("x-echo") ?? null,
    trailer: trailer?.get("x-echo-trailer") ?? null,
    hasDeadline: Number(header?.get("x-timeout")) > 15_000,
    create: await unary(
      "createItem",
      request("createItem", { parent: "shelves/1", item: ITEM, dryRun: true }),
    ),
    list: await stream("listItems", shelf, { headers: { "x-times": "3" } }),
    error: await unary("getItem", get, { headers: fail }),
    failedList: await stream("listItems", shelf, { headers: { ...fail, "x-times": "2" } }),
    deadline: (await unary("getItem", get, { headers: { "x-sleep": "2000" }, timeoutMs: 500 })).code ?? null,
    ...(requestStreams && {
      collect: await unary("collectItems", items("only")),
      exchange: await stream("exchangeItems", items("a", "b", "c")),
    }),
  };
}

/** A google.rpc.Status in base64. */
function encode(json: JsonObject, registry: Registry): string {
  const status = registry.getMessage("google.rpc.Status");
  if (status === undefined) {
    throw new Error("no google.rpc.Status in the descriptors");
  }
  return base64Encode(toBinary(status, fromJson(status, json, { registry })), "std");
}

function errorJson(thrown: unknown, registry: Registry): JsonObject {
  const error = ConnectError.from(thrown);
  const details = error.findDetails(registry).map((message) => {
    const desc = registry.getMessage(message.$typeName);
    return {
      "@type": `type.googleapis.com/${message.$typeName}`,
      ...(desc && (toJson(desc, message, { registry }) as JsonObject)),
    };
  });
  return { code: error.code, message: error.rawMessage, details };
}
