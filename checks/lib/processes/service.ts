import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from "connect-transcoding-testing/processes/server-process.js";

const PACKAGE = createRequire(import.meta.url).resolve("#package.json");
/** The folder of this package. Programs run in it. */
export const ROOT = dirname(PACKAGE);

/** The arguments of Node in `npm start`. */
export const OURS: readonly string[] = JSON.parse(readFileSync(PACKAGE, "utf8"))
  .scripts.start.split(" ")
  .slice(1);

export type Service = ServerProcess;

/** Starts a service in the folder of this package. Default of the command: what `npm start` runs. */
export const startService = (options: Partial<ServerProcessOptions> = {}): Promise<Service> =>
  startServerProcess({ command: [process.execPath, ...OURS], cwd: ROOT, ...options });
