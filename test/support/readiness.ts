import type { Readiness, Tool } from "../../src/tools/tool.js";

/** A readiness that a test controls. */
export interface TestReadiness extends Readiness {
  /** Changes the readiness and calls the listeners. */
  become(isReady: boolean): void;
  /** Returns the number of listeners. */
  listeners(): number;
}

/** Creates a readiness that a test controls. */
export function testReadiness(first: boolean): TestReadiness {
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

/** Returns the tool with another readiness. */
export function withReadiness(tool: Tool, readiness: Readiness): Tool {
  return { ...tool, readiness };
}
