import type { RequestObserver } from "connect-transcoding";
import { type Access, openAccess } from "connect-transcoding-operations/access/access";
import { createLog } from "connect-transcoding-operations/telemetry/log";
import { createRequestLog } from "connect-transcoding-operations/telemetry/request-log";
import {
  spanVariableProblems,
  spanVariableWarnings,
} from "connect-transcoding-operations/telemetry/span-variables";
import { type Spans, startSpans } from "connect-transcoding-operations/telemetry/spans";
import { OptionError } from "../errors.js";
import type { GatewayOptions } from "../options.js";
import type { AccessMetrics } from "./metrics.js";

/** The name in traces, and the realm of API keys. */
const NAME = "connect-transcoding-gateway";

/** The pages that ask for an API key, and hold nothing of the API if it has keys. */
const OPEN_PATHS: ReadonlySet<string> = new Set([
  "/docs",
  ...["", "reference.css", "reference.js", "icon.svg"].map((name) => `/docs/${name}`),
]);

/** API keys, rate limits, logs and traces of a gateway. */
export interface Operations {
  readonly access: Access;
  readonly observers: readonly RequestObserver[];
  readonly requestIds: boolean;
  close(): Promise<void>;
}

/**
 * Opens what the options for access and telemetry name. Rejects with an OptionError if one is invalid.
 *
 * @param log called with lines about keys and the shared store, and with those of requests, which are JSON
 */
export async function openOperations(
  options: Pick<
    GatewayOptions,
    "apiKeysFile" | "openAreas" | "rateLimit" | "rateLimitStore" | "logRequests" | "otlpEndpoint"
  >,
  version: string,
  metrics: AccessMetrics,
  log: (line: string) => void,
): Promise<Operations> {
  const access = await openAccess(
    options,
    {
      realm: NAME,
      apiKeysFile: "--api-keys-file",
      rateLimitStore: "--rate-limit-store",
      openPages: {
        has: ({ path, protocol }) => protocol === "page" && OPEN_PATHS.has(path),
        dependsOnAccept: () => false,
      },
    },
    {
      onKeyCheck: metrics.apiKeyChecked,
      onKeysReload: (reload) =>
        log(
          reload.ok
            ? `reloaded ${reload.value} API keys`
            : `the file of API keys has problems: ${reload.failure.description}`,
        ),
      onDecision: metrics.rateLimitDecided,
      onLocalCount: () => metrics.rateLimitDecided("store_unavailable"),
      onStoreState: (state, why) =>
        log(
          state === "up"
            ? "the rate-limit store is connected"
            : `the rate-limit store is unavailable, so this process counts alone: ${why}`,
        ),
    },
    () => performance.now(),
  );
  if (!access.ok) {
    throw new OptionError(access.failure.description);
  }
  const needsLog = options.logRequests !== "none" || options.otlpEndpoint !== undefined;
  const destination = { write: (line: string) => log(line.trimEnd()) };
  const lines = needsLog ? createLog({ level: "info", destination }) : undefined;
  const requestLog = lines && createRequestLog(options.logRequests, lines.logger);
  let spans: Spans | undefined;
  if (lines !== undefined && options.otlpEndpoint !== undefined) {
    const problems = spanVariableProblems(process.env);
    if (problems.length > 0) {
      access.value.close();
      throw new OptionError(problems.join("; "));
    }
    for (const warning of spanVariableWarnings(process.env, true)) {
      log(warning);
    }
    const endpoint = new URL(options.otlpEndpoint);
    spans = await startSpans({ endpoint, name: NAME, version, logger: lines.logger });
  }
  return {
    access: access.value,
    observers: [requestLog, spans?.observer].filter((each) => each !== undefined),
    requestIds: requestLog !== undefined,
    close: async () => {
      access.value.close();
      await spans?.shutdown();
    },
  };
}
