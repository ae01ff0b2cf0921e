import { setTimeout } from "node:timers/promises";
import type { Random } from "../../lib/random.js";
import { anyClient, call, transportOf } from "./clients.js";
import { anyReference, messageOf } from "./messages.js";
import { givesStream, takesStream } from "./raw-call.js";
import { anyPairs, anyScript, CALL, formatScript, SCRIPT } from "./script.js";
import type { ComparedServer } from "./servers.js";
import { METHODS } from "./service.js";

/** The time in which a call must end, in milliseconds. The machine may be shared. */
const CALL_TIMEOUT = 30_000;

/** The error of a call that does not end. */
export const UNANSWERED = "the call does not end";

/** A call by a client of connect-es. */
export type AnyCall = ReturnType<typeof anyCall>;

/** Any call. */
export function anyCall(random: Random) {
  const method = random.pick(METHODS);
  const script = anyScript(random, takesStream(method), givesStream(method));
  const waits = random.oneIn(150);
  const cancels = givesStream(method) && random.oneIn(20);
  // A call with a short deadline must do little before it.
  const steps = waits ? script.steps.slice(0, 3) : [...script.steps];
  if (cancels) {
    steps.unshift({ do: "send", message: { index: 0, size: 0 }, asInit: false });
  }
  if (waits || cancels) {
    steps.push({ do: "wait" });
  }
  const count = takesStream(method) ? random.pick([0, 1, 2, 3, 6]) : 1;
  const client = anyClient(random, method, cancels && !waits);
  return {
    kind: "call" as const,
    method,
    client,
    headers: [...anyPairs(random, "x-given"), ...(random.oneIn(3) ? [["x-value", "given"] as const] : [])],
    messages: Array.from({ length: count }, () => {
      const reference = anyReference(random);
      // A URL has a limited length.
      return client.usesGet ? { ...reference, size: Math.min(reference.size, 500) } : reference;
    }),
    // Between messages.
    pauses: random.oneIn(3),
    timeoutMs: waits ? 1000 : random.oneIn(5) ? random.pick([60_000, 3_600_000, 99_999_999]) : undefined,
    // After this number of response messages.
    cancelsAfter: cancels && !waits ? 1 : undefined,
    script: { ...script, steps },
  };
}

/** What the client and the server have seen of a call. */
export interface Observation {
  readonly client: unknown;
  readonly server?: readonly unknown[];
  /** The number of handlers that have not ended. */
  readonly running: number;
}

/** Makes a call. Resolves to all that the client and the server have seen. */
export async function observeCall(server: ComparedServer, any: AnyCall, id: string): Promise<Observation> {
  const header = new Headers({ [SCRIPT]: formatScript(any.script), [CALL]: id });
  for (const [name, value] of any.headers) {
    header.append(name, value);
  }
  const messages = any.messages.map(messageOf);
  const client = await Promise.race([
    call(transportOf(server, any.client), { ...any, header, messages }),
    setTimeout(CALL_TIMEOUT, { error: UNANSWERED, messages: undefined }, { ref: false }),
  ]);
  const { events, running } = await server.recorder.take(id);
  if (any.cancelsAfter === undefined) {
    return { client, server: events, running };
  }
  // More messages can have been sent before the server is told.
  const { messages: all, error } = client;
  const received = Array.isArray(all) ? all.slice(0, any.cancelsAfter) : all;
  return { client: { messages: received, error }, running };
}
