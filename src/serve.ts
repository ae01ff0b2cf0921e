import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Config } from "./config/config.js";
import { loadDocumentation } from "./documentation.js";
import type { RunningService } from "./process/running-service.js";
import type { Siblings } from "./process/siblings.js";
import { type Failure, fail, ok, type Result } from "./result.js";
import { startServer } from "./server/server.js";
import { loadServices } from "./services.js";

/** What the service is given by the process that it runs in. */
export interface ServeOptions {
  readonly config: Config;
  /** Is told of exceptions that are bugs, with the full name of the method where it is known. */
  readonly reportBug: (bug: unknown, method?: string) => void;
  /** The workers beside this one. */
  readonly siblings: Siblings;
}

/** Puts the service together and starts it in this process. The failure's description names the setting that is wrong. */
export async function serve({ config, reportBug }: ServeOptions): Promise<Result<RunningService, Failure>> {
  const services = await loadServices(config, { now: Date.now, randomBytes });
  if (!services.ok) {
    return services;
  }
  const server = await startServer({
    ...config,
    services: services.value,
    documentation: loadDocumentation(),
    reportBug,
  });
  if (!server.ok) {
    return fail(server.failure.reason, `HOST and PORT: ${server.failure.description}`);
  }
  const { url, stop } = server.value;
  return ok({
    url,
    stop: async () => {
      // Closing a port resets the connections that wait to be accepted, whose requests a proxy may have sent already. In two
      // turns of the event loop all are accepted that waited when the signal came.
      await setImmediate();
      await setImmediate();
      await stop(config.gracePeriod);
    },
  });
}
