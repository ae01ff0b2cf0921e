import type { Readiness, Tool } from "../src/tools/tool.js";

/** A readiness that changes when it is told to. */
export interface ToldReadiness extends Readiness {
  become(isReady: boolean): void;
  /** How many want to be told of changes. */
  listeners(): number;
}

/** A readiness for tests. */
export function toldReadiness(first: boolean): ToldReadiness {
  let isReady = first;
  const listeners = new Set<() => void>();
  return {
    isReady: () => isReady,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    become: (next) => {
      isReady = next;
      for (const listener of listeners) {
        listener();
      }
    },
    listeners: () => listeners.size,
  };
}

/** A tool with a readiness of its own. */
export function withReadiness(tool: Tool, readiness: Readiness): Tool {
  return { ...tool, readiness };
}
