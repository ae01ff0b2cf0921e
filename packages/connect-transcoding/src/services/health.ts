import { Code } from "@connectrpc/connect";
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus as Status,
} from "../../gen/health/v1/health_pb.js";
import { RpcError } from "../errors/rpc-error.js";
import { implement, type ServiceImplementation } from "../node/methods.js";

/** What a server says of itself to those who decide whether to send it requests. */
export interface Health {
  /** The full names of its services, without the empty one that stands for all of them. */
  readonly services: readonly string[];
  /**
   * Whether a service takes requests now: it has what it needs, and the server is not stopping. The empty name stands for
   * the server, which does when all services do.
   */
  isServing(service: string): boolean;
  /** Whether the server is stopping: from then on nothing changes any more. */
  isStopping(): boolean;
  /** Calls back after whatever may have changed one of these, until what is returned is called. */
  onChange(listener: () => void): () => void;
}

/**
 * The standard health service: Check, List and Watch.
 * https://github.com/grpc/grpc-proto/blob/master/grpc/health/v1/health.proto
 */
export function healthService(health: Health): ServiceImplementation {
  const names = new Set(["", ...health.services]);
  const statusOf = (service: string): Status => {
    if (!names.has(service)) {
      return Status.SERVICE_UNKNOWN;
    }
    return health.isServing(service) ? Status.SERVING : Status.NOT_SERVING;
  };

  return implement(HealthService, {
    check: ({ service }) => {
      const status = statusOf(service);
      if (status === Status.SERVICE_UNKNOWN) {
        throw new RpcError({
          code: Code.NotFound,
          reason: "SERVICE_UNKNOWN",
          message: "there is no such service",
        });
      }
      return { status };
    },
    list: () => ({
      statuses: Object.fromEntries([...names].map((name) => [name, { status: statusOf(name) }])),
    }),
    // A caller who reads more slowly than things change gets the latest status: nothing piles up.
    async *watch({ service }, { signal }) {
      const changes = noticeChanges(health, signal);
      try {
        let told: Status | undefined;
        while (!signal.aborted) {
          const status = statusOf(service);
          if (status !== told) {
            told = status;
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

/** Notices every change from now on, also while nobody waits for one. */
function noticeChanges(health: Health, signal: AbortSignal) {
  let isNoticed = false;
  let wake: (() => void) | undefined;
  const notice = (): void => {
    isNoticed = true;
    wake?.();
  };
  const forget = health.onChange(notice);
  signal.addEventListener("abort", notice);
  return {
    /** Resolves when something may have changed since it was called last. */
    async next(): Promise<void> {
      if (!isNoticed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      isNoticed = false;
    },
    end(): void {
      forget();
      signal.removeEventListener("abort", notice);
    },
  };
}
