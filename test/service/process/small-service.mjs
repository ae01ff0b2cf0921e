// A minimal service for tests of processes. It runs like the built one, alone or in WORKERS workers.
import cluster from "node:cluster";
import { createServer } from "node:http";
import { listenForSignals, runService } from "../../../src/service/process/lifecycle.js";
import { runWorker, runWorkers } from "../../../src/service/process/workers.js";

const options = {
  reportBug: (bug) => console.error(`bug: ${bug.message}`),
  log: (level, message) => console.error(`${level}: ${message}`),
};

function withResolvers() {
  let resolve;
  const promise = new Promise((each) => {
    resolve = each;
  });
  return { promise, resolve };
}

async function start() {
  let hangs = false;
  const routes = {
    "/pid": () => process.pid,
    "/flags": () => process.execArgv,
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
    // The response is sent after the end of the request.
    request.resume().on("end", () => {
      response.end(JSON.stringify(routes[request.url]?.()));
    });
  });
  const port = Number(process.env.PORT ?? 0);
  const problem = await new Promise((resolve) => {
    server.once("error", resolve).listen({ host: "127.0.0.1", port }, () => resolve(undefined));
  });
  if (problem !== undefined) {
    return { ok: false, failure: { reason: "CANNOT_LISTEN", description: problem.message } };
  }
  const stop = () => new Promise((resolve) => hangs || server.close(resolve));
  const { promise: whenReady, resolve: becomeReady } = withResolvers();
  let isReady = false;
  const prepare = () => {
    isReady = true;
    becomeReady();
  };
  if (process.env.READY_ON_RELOAD === undefined) {
    prepare();
  }
  const reload = () => {
    console.error("reloaded");
    prepare();
  };
  const url = `http://127.0.0.1:${server.address().port}`;
  return { ok: true, value: { url, isReady: () => isReady, whenReady, reload, stop } };
}

listenForSignals();
if (cluster.worker !== undefined) {
  if (process.env.LOADS_FOREVER !== undefined) {
    console.error("loading");
    // The timer keeps the process alive.
    await new Promise(() => setInterval(() => undefined, 60_000));
  }
  await runWorker(cluster.worker, start, options);
} else {
  const workers = Number(process.env.WORKERS ?? 1);
  const stopTimeout = Number(process.env.STOP_TIMEOUT ?? 12_000);
  const started =
    workers > 1 ? await runWorkers({ workers, stopTimeout }, options) : await runService(start, options);
  if (started.ok) {
    const { url, isReady, whenReady } = started.value;
    if (!isReady) {
      console.log(`not ready on ${url}`);
      await whenReady;
    }
    console.log(`ready on ${url}`);
  } else {
    console.error(`cannot start: ${started.failure.description}`);
    process.exit(1);
  }
}
