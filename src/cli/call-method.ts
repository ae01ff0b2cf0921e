import { create, type DescMethodUnary } from "@bufbuild/protobuf";
import type { Call, MethodTable } from "connect-transcoding";
import { messageOf } from "connect-transcoding";
import type { MessageInit } from "connect-transcoding/codec";
import { methodName } from "connect-transcoding/rules";

/** Calls a method, wherever it is answered. Throws an RpcError or a ConnectError. */
export type CallMethod = (
  method: DescMethodUnary,
  request: MessageInit,
) => MessageInit | Promise<MessageInit>;

/** The signal of calls that nobody ends. */
const NEVER = new AbortController().signal;

/**
 * Calls methods in this process, with the policies that the table has. What a handler answers is given as it is, without
 * making a message of it.
 *
 * @param baseUrl what URLs in answers begin with, no final slash
 */
export function callInProcess(methods: MethodTable, baseUrl: string): CallMethod {
  return async (method, request) => {
    const implementation = methods.of(method);
    if (implementation?.kind !== "unary") {
      throw new Error(`${methodName(method)} is implemented by no tool`);
    }
    const call: Call = {
      method,
      baseUrl,
      callerAddress: "",
      timeoutMs: undefined,
      signal: NEVER,
      header: () => undefined,
      headers: () => [],
      addHeader: () => {},
      addTrailer: () => {},
    };
    return messageOf(await implementation.handler(create(method.input, request), call));
  };
}
