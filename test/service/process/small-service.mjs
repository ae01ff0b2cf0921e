// A service of a few lines that runs as the built one does, for tests of processes: alone or in WORKERS workers.
import cluster from "node:cluster";
import { createServer } from "node:http";
import { runAlone } from "../../../dist/src/process/run-alone.js";
import { runSupervisor, WORKER_PORT } from "../../../dist/src/process/run-supervisor.js";
import { runWorker } from "../../../dist/src/process/run-worker.js";

const ports = {
  exit: (code) => process.exit(code),
  reportBug: (bug) => console.error(`bug: ${bug.message}`),
  log: (level, message) => console.error(`${level}: ${message}`),
};

async function start({ siblings }) {
  siblings.answer("pid", () => process.pid);
  siblings.answer("flags", () => process.execArgv);
  siblings.answer("count", () => requests);
  let requests = 0;
  let hangs = false;
  const routes = {
    "/pid": () => process.pid,
    "/pids": () => siblings.askAll("pid"),
    // How many requests each worker has taken, and at the end those that have ended.
    "/counts": () => siblings.askAll("count"),
    "/flags": () => siblings.askAll("flags"),
    "/throw": () => {
      setImmediate(() => {
        throw new Error("thrown");
      });
      return "soon";
    },
    "/reject": () => {
      Promise.reject(new Error("rejected"));
      return "soon";
    },
    "/hang": () => {
      hangs = true;
      return "from now on it does not stop";
    },
  };
  const server = createServer((request, response) => {
    requests += 1;
    // The answer comes when the request has been sent to its end.
    request.resume().on("end", async () => {
      response.end(JSON.stringify(await routes[request.url]?.()));
    });
  });
  const port = Number(process.env[WORKER_PORT] ?? process.env.PORT ?? 0);
  const problem = await new Promise((resolve) => {
    server.once("error", resolve).listen({ host: "127.0.0.1", port }, () => resolve(undefined));
  });
  if (problem !== undefined) {
    return { ok: false, failure: { reason: "CANNOT_LISTEN", description: problem.message } };
  }
  const stop = () => new Promise((resolve) => hangs || server.close(resolve));
  return { ok: true, value: { url: `http://127.0.0.1:${server.address().port}`, stop } };
}

if (cluster.worker !== undefined) {
  if (process.env.LOADS_SLOWLY !== undefined) {
    console.error("loading");
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  await runWorker(cluster.worker, start, ports);
} else {
  const workers = Number(process.env.WORKERS ?? 1);
  const port = Number(process.env.PORT ?? 0);
  const options = {
    workers,
    host: "127.0.0.1",
    port,
    stopTimeout: Number(process.env.STOP_TIMEOUT ?? 12_000),
    lasting: new Map([["count", (before, last) => (before ?? 0) + last]]),
  };
  const started = workers > 1 ? await runSupervisor(options, ports) : await runAlone(start, ports);
  if (started.ok) {
    console.log(`ready on ${started.value}`);
  } else {
    console.error(`cannot start: ${started.failure.description}`);
    process.exitCode = 1;
  }
}
