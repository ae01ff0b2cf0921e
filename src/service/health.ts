import type { ServerHealth } from "connect-transcoding";
import type { Tool } from "../tools/tool.js";

/** The health of a server with these tools; `stopping` is aborted when it begins to shut down. */
export function serverHealth(tools: readonly Tool[], stopping: AbortSignal): ServerHealth {
  const byName = new Map(tools.map((tool) => [tool.service.typeName, tool]));
  const isReady = (tool: Tool | undefined): boolean => tool?.readiness?.isReady() ?? true;
  return {
    services: [...byName.keys()],
    isServing: (service) =>
      !stopping.aborted && (service === "" ? tools.every(isReady) : isReady(byName.get(service))),
    isStopping: () => stopping.aborted,
    onChange: (listener) => {
      const unsubscribe = tools.map(({ readiness }) => readiness?.onChange(listener));
      stopping.addEventListener("abort", listener);
      return () => {
        stopping.removeEventListener("abort", listener);
        for (const each of unsubscribe) {
          each?.();
        }
      };
    },
  };
}
