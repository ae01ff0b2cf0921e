import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { Call, ServiceImplementation } from "connect-transcoding";
import { type KeptAnswer, messageOf } from "connect-transcoding";

/** A handler of ours as a peer calls it: the answer comes through `use`, at once where the handler does not wait. */
export type PeerHandler<M extends DescMethodUnary> = (
  request: MessageInitShape<M["input"]>,
  call: Call,
  use: (answer: MessageShape<M["output"]>) => void,
) => void;

type Given<M extends DescMethodUnary> = MessageShape<M["output"]> | KeptAnswer<MessageShape<M["output"]>>;

/** The handler of one method, without anything around it. */
export function peerHandler<M extends DescMethodUnary>(
  services: readonly ServiceImplementation[],
  method: M,
): PeerHandler<M> {
  const found = services.flatMap(({ methods }) => methods).find((each) => each.method === method);
  if (found?.kind !== "unary") {
    throw new Error(`${method.name} has no unary handler`);
  }
  // Handlers read fields and nothing else, so the caller is spared making a message of them; and those measured here fill in
  // every field of what they answer, which is compared with ours beforehand.
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
