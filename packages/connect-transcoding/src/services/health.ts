import { Code, type ConnectRouter } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../../gen/health/v1/health_pb.js";
import { createError } from "../errors/errors.js";

/** The health of a server, for load balancers and orchestrators. */
export interface ServerHealth {
  /** The full names of the services. */
  readonly services: readonly string[];
  /** Whether a service can handle requests. The empty name means the server: all services. */
  isServing(service: string): boolean;
  /** Whether the server shuts down; nothing changes from then on. */
  isStopping(): boolean;
  /** Calls `listener` after every change until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/**
 * Routes of the standard health service: Check, List and Watch.
 * https://github.com/grpc/grpc-proto/blob/master/grpc/health/v1/health.proto
 */
export function healthRoutes(health: ServerHealth): (router: ConnectRouter) => void {
  const names = new Set(["", ...health.services]);
  const statusOf = (service: string): Status => {
    if (!names.has(service)) {
      return Status.SERVICE_UNKNOWN;
    }
    return health.isServing(service) ? Status.SERVING : Status.NOT_SERVING;
  };

  return (router) =>
    router.service(Health, {
      check: ({ service }) => {
        const status = statusOf(service);
        if (status === Status.SERVICE_UNKNOWN) {
          throw createError({ code: Code.NotFound, reason: "SERVICE_UNKNOWN", message: "unknown service" });
        }
        return { status };
      },
      list: () => ({
        statuses: Object.fromEntries([...names].map((name) => [name, { status: statusOf(name) }])),
      }),
      // A client that reads slowly gets the latest status: changes do not pile up.
      async *watch({ service }, { signal }) {
        const changes = watchChanges(health, signal);
        try {
          let sent: Status | undefined;
          for (;;) {
            const status = statusOf(service);
            if (signal.aborted && !health.isStopping()) {
              // The deadline has expired, or the client has cancelled the call.
              throw signal.reason;
            }
            if (status !== sent) {
              sent = status;
              yield { status };
            } else if (health.isStopping()) {
              return;
            } else {
              await changes.next();
            }
          }
        } finally {
          changes.end();
        }
      },
    });
}

/** Watches for changes. Also records those that happen while `next` is not waiting. */
function watchChanges(health: ServerHealth, signal: AbortSignal) {
  let hasChanged = false;
  let wake: (() => void) | undefined;
  const notice = (): void => {
    hasChanged = true;
    wake?.();
  };
  const unsubscribe = health.onChange(notice);
  signal.addEventListener("abort", notice);
  return {
    /** Resolves when something may have changed since the last call. */
    async next(): Promise<void> {
      if (!hasChanged) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      hasChanged = false;
    },
    end(): void {
      unsubscribe();
      signal.removeEventListener("abort", notice);
    },
  };
}
