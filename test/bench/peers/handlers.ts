import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Call, ServiceImplementation } from "connect-transcoding";
import { type KeptAnswer, messageOf } from "connect-transcoding";

/** One of our handlers, for peers. It passes the response to `use`, synchronously if the handler is synchronous. */
export type PeerHandler<M extends DescMethodUnary> = (
  request: MessageInitShape<M["input"]>,
  call: Call,
  use: (answer: MessageShape<M["output"]>) => void,
) => void;

type Given<M extends DescMethodUnary> = MessageShape<M["output"]> | KeptAnswer<MessageShape<M["output"]>>;

/** Returns the handler of a method, without interceptors. */
export function peerHandler<M extends DescMethodUnary>(
  services: readonly ServiceImplementation[],
  method: M,
): PeerHandler<M> {
  const found = services.flatMap(({ methods }) => methods).find((each) => each.method === method);
  if (found?.kind !== "unary") {
    throw new Error(`${method.name} has no unary handler`);
  }
  // Handlers only read fields, so a plain object is sufficient as request. The measured handlers set every field of the
  // response, and responses are compared with ours beforehand.
  const handler = found.handler as unknown as (
    request: MessageInitShape<M["input"]>,
    call: Call,
  ) => Given<M> | Promise<Given<M>>;
  return (request, call, use) => {
    const answer = handler(request, call);
    if (answer instanceof Promise) {
      void answer.then((settled) => use(messageOf(settled)));
    } else {
      use(messageOf(answer));
    }
  };
}
