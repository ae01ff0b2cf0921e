import type { Tool } from "../rpc/tool.js";

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

/** The health of a server with these tools; `stopping` is aborted when it begins to stop. */
export function serverHealth(tools: readonly Tool[], stopping: AbortSignal): Health {
  const byName = new Map(tools.map((tool) => [tool.service.typeName, tool]));
  const isReady = (tool: Tool | undefined): boolean => tool?.readiness?.isReady() ?? true;
  return {
    services: [...byName.keys()],
    isServing: (service) =>
      !stopping.aborted && (service === "" ? tools.every(isReady) : isReady(byName.get(service))),
    isStopping: () => stopping.aborted,
    onChange: (listener) => {
      const forget = tools.map(({ readiness }) => readiness?.onChange(listener));
      stopping.addEventListener("abort", listener);
      return () => {
        stopping.removeEventListener("abort", listener);
        for (const each of forget) {
          each?.();
        }
      };
    },
  };
}
