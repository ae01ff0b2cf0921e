import { once } from "node:events";
import { startProcess } from "../../bench/server-process.js";
import { tells } from "./judge.js";

/** The service in a process of its own, of which everything is heard. */
export interface WatchedService {
  readonly url: string;
  readonly port: number;
  isRunning(): boolean;
  /** MiB of the process that are in memory; NaN where the system does not tell. */
  residentMemory(): number;
  /** MiB that live objects take, after all garbage is collected. */
  liveHeap(): Promise<number>;
  /** Stops it, and says what it did that it must not: nothing, mostly. */
  stop(): Promise<string[]>;
}

/** Has the service collect its garbage and say what is left, when it is told to by a signal. */
const PROBE = `data:text/javascript,${encodeURIComponent(
  'process.on("SIGUSR2", () => { gc(); console.log("live heap: " + process.memoryUsage().heapUsed); });',
)}`;

/** Milliseconds to wait for the probe. */
const PATIENCE = 10_000;

/** How much of its error output is told of. */
const MAX_OUTPUT = 4000;

/** Starts the service with the flags of `npm start` and its probe. */
export async function startWatched(args: readonly string[]): Promise<WatchedService> {
  const heard = new EventTarget();
  const gone = new AbortController();
  let errorOutput = "";
  let exit: string | undefined;
  let hasToldSecret = false;
  let isStopping = false;
  let hasExited = false;
  const bugs: string[] = [];
  const server = await startProcess(["--expose-gc", "--import", PROBE, ...args], {
    onOutput(line) {
      const octets = /^live heap: (\d+)$/.exec(line)?.[1];
      if (octets !== undefined) {
        heard.dispatchEvent(new CustomEvent("heap", { detail: Number(octets) / 2 ** 20 }));
      } else if (isBug(line) && bugs.length < 10) {
        bugs.push(line.slice(0, MAX_OUTPUT));
      }
      hasToldSecret ||= tells(line);
    },
    onErrorOutput(text) {
      errorOutput = (errorOutput + text).slice(0, MAX_OUTPUT);
      hasToldSecret ||= tells(text);
    },
    onExit(code, signal) {
      exit = isStopping && code === 0 ? undefined : `code ${code}, signal ${signal}`;
      isStopping = true;
      hasExited = true;
      gone.abort(new Error("the service has ended"));
    },
  });

  async function liveHeap(): Promise<number> {
    const answer = once(heard, "heap", {
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(PATIENCE)]),
    });
    server.signal("SIGUSR2");
    const [event] = await answer;
    return event.detail;
  }

  async function stop(): Promise<string[]> {
    isStopping = true;
    if (!hasExited) {
      await server.stop();
    }
    return [
      ...(exit === undefined ? [] : [`the process ended: ${exit}`]),
      ...(errorOutput === "" ? [] : [`on its standard error: ${errorOutput}`]),
      ...bugs.map((bug) => `in its log: ${bug}`),
      ...(hasToldSecret ? ["what it wrote tells the secret"] : []),
    ];
  }

  return {
    url: server.url,
    port: Number(new URL(server.url).port),
    isRunning: () => !isStopping,
    residentMemory: server.residentMemory,
    liveHeap,
    stop,
  };
}

/** Whether a line of a log is one of an error, in words or in JSON. */
function isBug(line: string): boolean {
  return line.startsWith("bug ") || /"level":\s*("(error|fatal)"|[56]0)/.test(line);
}
