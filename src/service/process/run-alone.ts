import type { Failure, Result } from "../../result.js";
import { leaveEarlySignals } from "./early-signals.js";
import { createLifecycle, type LifecyclePorts } from "./lifecycle.js";
import type { StartService } from "./running-service.js";
import { noSiblings } from "./siblings.js";

/**
 * Runs the service in this process until it is told to stop. Resolves to where it listens when it takes requests.
 * SIGTERM and SIGINT stop it, and a second one ends the process at once.
 */
export async function runAlone(start: StartService, ports: LifecyclePorts): Promise<Result<string, Failure>> {
  const lifecycle = createLifecycle(ports);
  process.on("SIGTERM", lifecycle.signalled);
  process.on("SIGINT", lifecycle.signalled);
  // There is nobody who could take over, so nothing is started anew; but a signal that is not caught ends a process.
  process.on("SIGHUP", () =>
    ports.log(
      "info",
      "SIGHUP: nothing to do, for files are read again when they change; with WORKERS of 2 or more it replaces the workers",
    ),
  );
  leaveEarlySignals();
  process.on("uncaughtException", lifecycle.broken);
  process.on("unhandledRejection", lifecycle.broken);
  const service = await start({ siblings: noSiblings(), isReplacement: false });
  if (!service.ok) {
    return service;
  }
  lifecycle.started(service.value);
  return { ok: true, value: service.value.url };
}
