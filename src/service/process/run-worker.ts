import type { Worker } from "node:cluster";
import { leaveEarlySignals } from "./early-signals.js";
import { createLifecycle, type LifecyclePorts } from "./lifecycle.js";
import type { ToSupervisor, ToWorker } from "./messages.js";
import type { StartService } from "./running-service.js";
import { supervisedSiblings } from "./siblings.js";

/** The environment variable that tells a worker that it is to take the place of one that serves. */
export const REPLACEMENT = "UTILITY_TOOLS_REPLACEMENT";

/** Milliseconds until a question that the supervisor does not answer is given up. */
const ASK_TIMEOUT = 2_000;
/** Milliseconds that the end of a worker waits until its last answers are on their way. */
const LAST_WORDS_TIMEOUT = 200;

/**
 * Runs the service in a worker process until the supervisor says that it shall stop, or is gone. A signal that reaches
 * the worker itself, as from a terminal, does the same.
 */
export async function runWorker(worker: Worker, start: StartService, ports: LifecyclePorts): Promise<void> {
  const lifecycle = createLifecycle(ports);
  // What cannot be sent is for a supervisor that is gone, which `disconnect` tells.
  const send = (message: ToSupervisor, done: () => void = () => undefined): void => {
    if (worker.isConnected()) {
      worker.send(message, done);
    } else {
      done();
    }
  };
  const siblings = supervisedSiblings(send, ASK_TIMEOUT);
  process.on("SIGTERM", lifecycle.signalled);
  process.on("SIGINT", lifecycle.signalled);
  process.on("SIGHUP", () => undefined);
  leaveEarlySignals();
  process.on("uncaughtException", lifecycle.broken);
  process.on("unhandledRejection", lifecycle.broken);
  worker.on("message", (message: ToWorker) => {
    if (message.kind === "stop") {
      lifecycle.stop(0);
    } else {
      siblings.onMessage(message);
    }
  });
  worker.on("disconnect", () => {
    // Without this `node:cluster` ends the process in the same breath, with all calls that are under way.
    worker.exitedAfterDisconnect = true;
    ports.log("error", "the supervisor is gone: stopping");
    lifecycle.stop(1);
  });
  send({ kind: "attentive" });
  const service = await start({ siblings, isReplacement: process.env[REPLACEMENT] !== undefined });
  if (!service.ok) {
    const problem: ToSupervisor = { kind: "problem", problem: service.failure.description };
    worker.send(problem, () => ports.exit(1));
    return;
  }
  const { url, stop } = service.value;
  lifecycle.started({
    url,
    stop: async () => {
      await stop();
      await siblings.sayLast(LAST_WORDS_TIMEOUT);
    },
  });
  send({ kind: "ready", url });
}
