import {
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  type Message,
  ScalarType,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { http_field } from "@utility-tools/protos/connecttranscoding/v1/options_pb.js";
import { listOf, type Random } from "../../lib/random.js";
import type { RawRequest } from "../../lib/raw-client.js";
import { changedRpcRequest, type RpcProtocol, rpcRequest } from "../../lib/rpc-request.js";
import { fieldText } from "./values.js";

const PROTOCOLS: readonly RpcProtocol[] = [
  "grpc",
  "grpc",
  "grpc-web",
  "grpc-web-text",
  "connect",
  "connect",
  "get",
];
/** What the service accepts in a message. */
const MAX_MESSAGE = 65_536;

/** A request of one of the RPC protocols. */
export interface RpcRequestOfMethod extends Omit<RawRequest, "http"> {
  readonly protocol: RpcProtocol;
}

/** Returns a call of a method over one of the RPC protocols: with valid values and others, or with a change. */
export function anyRpcRequest(random: Random, methods: readonly DescMethod[]): RpcRequestOfMethod {
  const protocol = random.pick(PROTOCOLS);
  // GET is for methods without side effects.
  const isSafe = ({ idempotency }: DescMethod) =>
    idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const method = random.pick(protocol === "get" && !random.oneIn(10) ? methods.filter(isSafe) : methods);
  const isBinary = random.oneIn(2);
  const isStream = method.methodKind === "bidi_streaming" || method.methodKind === "client_streaming";
  const messages = listOf(random, isStream ? 4 : 1, () => encoded(random, method, isBinary));
  const parts = {
    protocol,
    method,
    isBinary,
    path: `/${method.parent.typeName}/${method.name}`,
    messages: [...messages, encoded(random, method, isBinary)],
    maxMessage: MAX_MESSAGE,
  };
  const request = random.oneIn(3) ? changedRpcRequest(random, parts) : rpcRequest(random, parts);
  // Watch streams never end by themselves.
  const isEndless = method.name === "Watch";
  const timeout = protocol.startsWith("grpc")
    ? (["grpc-timeout", "20m"] as const)
    : (["connect-timeout-ms", "20"] as const);
  return {
    ...request,
    protocol,
    headers: isEndless ? [...request.headers, timeout] : request.headers,
    // A change may have removed the timeout.
    breaksOff: isEndless || random.oneIn(60),
  };
}

function encoded(random: Random, { input }: DescMethod, isBinary: boolean): Uint8Array {
  const message = anyMessage(random, input, 3);
  return isBinary
    ? toBinary(input, message)
    : Buffer.from(toJsonString(input, message, { registry: createRegistry() }));
}

const INTEGERS = [0, 1, -1, 2, 6, 8, 99, 2147483647, -2147483648];

/** Creates a message in which most fields have values. */
function anyMessage(random: Random, desc: DescMessage, depth: number): Message {
  const message = reflect(desc, create(desc));
  for (const field of desc.fields) {
    if (random.oneIn(8) || (field.oneof !== undefined && !random.oneIn(field.oneof.fields.length))) {
      continue;
    }
    if (field.fieldKind === "list") {
      for (const value of listOf(random, 3, () => anyFieldValue(random, field, depth))) {
        message.get(field).add(value);
      }
    } else if (field.fieldKind !== "map") {
      message.set(field, anyFieldValue(random, field, depth));
    }
  }
  return message.message;
}

function anyFieldValue(random: Random, field: DescField, depth: number) {
  if (field.message !== undefined) {
    const inner = depth > 0 ? anyMessage(random, field.message, depth - 1) : create(field.message);
    return reflect(field.message, inner);
  }
  if (field.enum !== undefined) {
    return random.oneIn(6) ? random.below(100) : random.pick(field.enum.values).number;
  }
  const number = random.pick(INTEGERS);
  switch (field.scalar) {
    case ScalarType.STRING: {
      const examples = hasOption(field, http_field) ? [getOption(field, http_field).example].flat() : [];
      return fieldText(random, field.name, examples).replaceAll(/\p{Surrogate}/gu, "?");
    }
    case ScalarType.BYTES:
      return Buffer.from(fieldText(random, field.name, []));
    case ScalarType.BOOL:
      return random.oneIn(2);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return Math.abs(number);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return BigInt(Math.abs(number));
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return BigInt(number);
    default:
      return number;
  }
}
