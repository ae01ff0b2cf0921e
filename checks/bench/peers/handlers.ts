import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { createContextValues, createHandlerContext, type HandlerContext } from "@connectrpc/connect";
import { baseUrlKey, clientAddressKey, collectMethods } from "connect-transcoding";
import type { Tool } from "../../../src/tools/tool.js";
import { HOST } from "../workloads.js";

export type PeerHandler<M extends DescMethodUnary> = (
  request: MessageInitShape<M["input"]>,
) => MessageShape<M["output"]>;

/** Returns the handler of a method, without interceptors. The measured handlers are synchronous. */
export function peerHandler<M extends DescMethodUnary>(tools: readonly Tool[], method: M): PeerHandler<M> {
  const found = tools.flatMap(({ routes }) => collectMethods(routes)).find((each) => each.method === method);
  if (found?.spec.kind !== "unary") {
    throw new Error(`${method.name} has no unary handler`);
  }
  // Handlers only read fields, so a plain object with the fields that they read is sufficient as request. The measured handlers
  // set every field of the response, and responses are compared with ours beforehand.
  const handler = found.spec.impl as unknown as (
    request: MessageInitShape<M["input"]>,
    context: HandlerContext,
  ) => MessageShape<M["output"]>;
  const context = testContext(method);
  return (request) => handler(request, context);
}

/** The context of a call without a server. */
function testContext(method: DescMethodUnary): HandlerContext {
  return createHandlerContext({
    service: method.parent,
    method,
    protocolName: "connect",
    requestMethod: "POST",
    url: `http://${HOST}/${method.parent.typeName}/${method.name}`,
    contextValues: createContextValues().set(baseUrlKey, `http://${HOST}`).set(clientAddressKey, "192.0.2.1"),
  });
}
