import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { readConfig } from "../../../src/config.js";
import type { Call } from "../../../src/rpc/call.js";
import type { ServiceImplementation } from "../../../src/rpc/service.js";
import { loadServices, type World } from "../../../src/services.js";

/** A handler of ours as a peer calls it: the answer comes through `use`, at once where the handler does not wait. */
export type PeerHandler<M extends DescMethodUnary> = (
  request: MessageInitShape<M["input"]>,
  call: Call,
  use: (answer: MessageShape<M["output"]>) => void,
) => void;

/** The services of the release on their default settings and data. Throws an Error when the data cannot be used. */
export async function releaseServices(world: World): Promise<ServiceImplementation[]> {
  const config = readConfig({});
  if (!config.ok) {
    throw new Error(config.failure.description);
  }
  const services = await loadServices(config.value, world);
  if (!services.ok) {
    throw new Error(services.failure.description);
  }
  return services.value;
}

/** The handler of one method, without anything around it. */
export function peerHandler<M extends DescMethodUnary>(
  services: readonly ServiceImplementation[],
  method: M,
): PeerHandler<M> {
  const found = services.flatMap(({ methods }) => methods).find((each) => each.method === method);
  if (found?.kind !== "unary") {
    throw new Error(`${method.name} has no unary handler`);
  }
  // Handlers read fields and nothing else, so the caller is spared making a message of them.
  const handler = found.handler as (request: MessageInitShape<M["input"]>, call: Call) => unknown;
  return (request, call, use) => {
    const answer = handler(request, call);
    if (answer instanceof Promise) {
      void answer.then((settled) => use(unwrap(settled)));
    } else {
      use(unwrap(answer));
    }
  };
}

/**
 * The message in what a handler answers: the answer itself, or what an answer that is kept in several forms holds. The
 * shape is not checked: the handlers measured here fill in every field, and each answer is compared with ours beforehand.
 */
export function unwrap<T>(answer: unknown): T {
  const isKept = typeof answer === "object" && answer !== null && "forms" in answer && "message" in answer;
  return (isKept ? answer.message : answer) as T;
}
