import { TYPESCRIPT_FLAGS } from "../../test/typescript-flags.js";
import { OURS } from "./server-process.js";

/** A server to compare. */
export interface Contestant {
  readonly name: string;
  readonly kind: "ours" | "node" | "go";
  /** The arguments of Node or of the Go program. */
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The path of Node for this server. Default: that of the run. */
  readonly node?: string;
  /** Whether it has all processors, including that of the load. */
  readonly hasAllProcessors?: boolean;
  /** What is aimed at in a comparison with our default. */
  readonly target?: Target;
}

/** The targeted ratio to another server. */
export interface Target {
  readonly ratio: number;
  readonly by: "rate" | "processor time";
}

/** Our service with default settings. */
export const DEFAULT: Contestant = { name: "ours", kind: "ours", args: OURS };

/**
 * Returns our service on several versions of Node. Reports compare the first one with the others.
 *
 * @param programs the path of each Node with its version
 */
export function onEachNode(programs: ReadonlyMap<string, string>): Contestant[] {
  return [...programs].map(([node, version], index) => {
    return { ...DEFAULT, kind: index === 0 ? "ours" : "node", name: `ours, Node ${version}`, node };
  });
}

/** Returns a server in Node. */
export function nodePeer(name: string, server: string, target?: Target): Contestant {
  const args = [...TYPESCRIPT_FLAGS, "checks/bench/peers/peer.ts", server];
  return { name, kind: "node", args, ...(target && { target }) };
}

/** Returns a server in Go with a number of threads that run Go code at a time. */
export function goPeer(server: string, processors: 1 | 2, target?: Target): Contestant {
  return {
    name: `${server}, ${processors === 1 ? "1 processor" : `${processors} processors`}`,
    kind: "go",
    args: [server],
    environment: { GOMAXPROCS: String(processors) },
    hasAllProcessors: processors > 1,
    ...(target && { target }),
  };
}
