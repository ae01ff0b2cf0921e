import { Code } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../../gen/health/v1/health_pb.js";
import { RpcError } from "../rpc/rpc-error.js";
import { implement, type ServiceImplementation } from "../rpc/service.js";

/** What the health service knows of the server. */
export interface HealthState {
  /** The names of the services, without the empty one that stands for the whole server. */
  readonly services: readonly string[];
  /** Aborted when the server stops: from then on nothing is serving. */
  readonly stopping: AbortSignal;
}

/**
 * The standard health service: Check, List and Watch.
 * https://github.com/grpc/grpc-proto/blob/master/grpc/health/v1/health.proto
 */
export function healthService({ services, stopping }: HealthState): ServiceImplementation {
  const names = new Set(["", ...services]);
  const statusOf = (service: string): Status => {
    if (!names.has(service)) {
      return Status.SERVICE_UNKNOWN;
    }
    return stopping.aborted ? Status.NOT_SERVING : Status.SERVING;
  };

  return implement(Health, {
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
    async *watch({ service }, { signal }) {
      yield { status: statusOf(service) };
      await aborted(stopping, signal);
      if (names.has(service) && !signal.aborted) {
        yield { status: Status.NOT_SERVING };
      }
    },
  });
}

/** Resolves when one of the signals is aborted, and leaves no listener behind on the other. */
function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const signal of signals) {
        signal.removeEventListener("abort", settle);
      }
      resolve();
    };
    for (const signal of signals) {
      signal.addEventListener("abort", settle);
    }
    if (signals.some((signal) => signal.aborted)) {
      settle();
    }
  });
}
