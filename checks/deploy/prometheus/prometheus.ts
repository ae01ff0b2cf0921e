import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/ports.js";
import { adaptedFile, stopOnExit } from "../proxy.js";
import { ROOT, resetPriority } from "../service-process.js";

/** The folder of the shipped configuration. */
export const SHIPPED = join(ROOT, "deploy", "prometheus");

/** A running Prometheus with the shipped configuration. */
export interface Prometheus {
  /** Without a final slash. */
  readonly url: string;
  /**
   * Sends a request to the HTTP API and returns the `data` of the response. Throws an Error if Prometheus rejects the request.
   * https://prometheus.io/docs/prometheus/latest/querying/api/
   *
   * @param path the path below `/api/v1/`
   */
  get(path: string, parameters?: Readonly<Record<string, string>>): Promise<unknown>;
  stop(): Promise<void>;
}

/** Options of {@link startPrometheus}. */
export interface PrometheusOptions {
  /** Host and port of each replica. */
  readonly targets: readonly string[];
  /** The API key that scrapes send; undefined if they need none. */
  readonly apiKey?: string;
}

/** Returns whether Debian's package `prometheus` is installed. */
export function hasPrometheus(): boolean {
  return ["prometheus", "promtool"].every(
    (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).error === undefined,
  );
}

/** Seconds that Prometheus has for its start. */
const PATIENCE = 20;

/**
 * Starts Prometheus with the shipped configuration and waits until it is ready. Only targets, paths and intervals differ: it
 * scrapes every second.
 */
export async function startPrometheus({ targets, apiKey }: PrometheusOptions): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-prometheus-"));
  const at = (name: string): string => join(folder, name);
  const changes: (readonly [string, string])[] = [
    ['["127.0.0.1:8081", "127.0.0.1:8082"]', JSON.stringify(targets)],
    ["_interval: 15s", "_interval: 1s"],
    ["scrape_timeout: 10s", "scrape_timeout: 1s"],
  ];
  if (apiKey !== undefined) {
    writeFileSync(at("key"), apiKey);
    changes.push(
      ["# authorization:", "authorization:"],
      ["#   credentials_file: /etc/prometheus/utility-tools.key", `  credentials_file: ${at("key")}`],
    );
  }
  writeFileSync(at("prometheus.yaml"), adaptedFile("prometheus/prometheus.yaml", changes));
  copyFileSync(join(SHIPPED, "rules.yaml"), at("rules.yaml"));
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const child = spawn(
    "prometheus",
    [
      `--config.file=${at("prometheus.yaml")}`,
      `--storage.tsdb.path=${at("data")}`,
      `--web.listen-address=${address}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  resetPriority(child.pid);
  stopOnExit(child);
  const exit = once(child, "exit");
  let isOver = false;
  void exit.then(() => {
    isOver = true;
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exit;
    rmSync(folder, { recursive: true });
  };
  const deadline = performance.now() + PATIENCE * 1000;
  while (!(await isReady(url))) {
    if (isOver || performance.now() > deadline) {
      await stop();
      throw new Error("prometheus did not start");
    }
    await wait(50);
  }
  return {
    url,
    get: async (path, parameters = {}) => {
      const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
      const { status, data, error } = (await response.json()) as Record<string, unknown>;
      if (status !== "success") {
        throw new Error(`${path}: ${error}`);
      }
      return data;
    },
    stop,
  };
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
