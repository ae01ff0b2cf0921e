import { OURS, type Service, startService as start } from "../lib/service.js";

export { childrenOf, peerPortsOf } from "../lib/process-state.js";
export { endServices, ROOT, raisePriority, resetPriority } from "../lib/service.js";

/** The service in separate processes. */
export type ServiceProcess = Service;

/**
 * Starts the service as `npm start` does and waits until it is ready. With `quietly`, it has a low priority until then,
 * as if it had its own machine.
 */
export function startService(
  environment: Readonly<Record<string, string>>,
  command: readonly string[] = [process.execPath, ...OURS],
  quietly = false,
): Promise<Service> {
  return start({ environment, command, isQuiet: quietly });
}
