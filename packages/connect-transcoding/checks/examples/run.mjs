// Starts the example of each host, and calls it with REST, Connect, gRPC-Web and, where the host has HTTP/2, gRPC. Arguments: the hosts;
// default: all.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { createRestTransport } from "connect-transcoding/client";
import { check, conclude } from "connect-transcoding-testing/checks.mjs";
import { build } from "vite";
import { LibraryService } from "../../examples/library/gen/example/library/v1/library_pb.js";

const EXAMPLES = join(import.meta.dirname, "../../examples");
const RUNTIMES = join(import.meta.dirname, "../../../testing/src/runtimes/node_modules/.bin");
const DENO = ["run", "--allow-all", "--no-check"];
const NEXT = join(import.meta.dirname, "node_modules", "next", "dist", "bin", "next");

/** A copy of the examples from which packages of this suite can be imported. */
const copy = mkdtempSync(join(import.meta.dirname, ".copy-"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));
// Next.js would read the configuration of TypeScript.
cpSync(EXAMPLES, copy, { recursive: true, filter: (path) => !path.endsWith("tsconfig.json") });

/** The example with `createServer`. */
const OWN_SERVER = join(copy, "library", "server.js");

/** How each host is started. Resolves to its URLs; the last one is that of HTTP/2. */
const HOSTS = {
  "connect-node": () => run(process.execPath, [join(copy, "connect-node", "server.js")]),
  express: () => run(process.execPath, [join(copy, "express", "server.js")]),
  fastify: () => run(process.execPath, [join(copy, "fastify", "server.js")]),
  hono: () => run(process.execPath, [join(copy, "hono", "server.js")]),
  bun: () => run(join(RUNTIMES, "bun"), ["run", join(copy, "bun", "server.js")]),
  deno: () => run(join(RUNTIMES, "deno"), [...DENO, join(copy, "deno", "server.js")]),
  "own-server-bun": () => run(join(RUNTIMES, "bun"), ["run", OWN_SERVER]),
  "own-server-deno": () => run(join(RUNTIMES, "deno"), [...DENO, OWN_SERVER]),
  next: startNext,
  workers: startWorker,
};
const children = [];
process.on("exit", () => {
  for (const child of children) {
    child.kill("SIGKILL");
  }
});

/** Starts a program that prints its URLs in its first line with one. */
async function run(program, args, options = {}) {
  const child = spawn(program, args, {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    ...options,
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const urls = line.match(/http:\/\/[\w.]+:\d+/g);
    if (urls !== null) {
      child.stdout.resume();
      return urls;
    }
  }
  throw new Error(`${program} does not start`);
}

async function startNext() {
  const options = { cwd: join(copy, "next"), env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1" } };
  const built = spawnSync(process.execPath, [NEXT, "build"], { ...options, encoding: "utf8" });
  if (built.status !== 0) {
    throw new Error(`next build: ${built.stdout}${built.stderr}`);
  }
  return run(process.execPath, [NEXT, "start", "--hostname", "127.0.0.1", "--port", "0"], options);
}

async function startWorker() {
  const { Miniflare } = await import("miniflare");
  await build({
    configFile: false,
    logLevel: "silent",
    resolve: { conditions: ["workerd", "worker", "browser"] },
    build: {
      outDir: join(copy, "workers", "dist"),
      lib: { entry: join(copy, "workers", "worker.js"), formats: ["es"], fileName: () => "worker.js" },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const worker = new Miniflare({
    modules: true,
    script: readFileSync(join(copy, "workers", "dist", "worker.js"), "utf8"),
    compatibilityDate: "2025-12-01",
    compatibilityFlags: ["nodejs_compat"],
    host: "127.0.0.1",
    port: 0,
  });
  return [(await worker.ready).origin];
}

/** Calls every kind of method that the host serves. */
async function call(host, [url, http2Url = url]) {
  const isOwnServer = host.startsWith("own-server");
  const hasHttp2 = isOwnServer || host === "fastify" || http2Url !== url;
  const hasHttp1 = host !== "fastify";
  const transports = {
    ...(hasHttp1 && {
      REST: createRestTransport({ baseUrl: url }),
      Connect: createConnectTransport({ baseUrl: url, httpVersion: "1.1" }),
      "gRPC-Web": createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" }),
    }),
    ...(hasHttp2 && {
      gRPC: createGrpcTransport({ baseUrl: http2Url }),
      "Connect over HTTP/2": createConnectTransport({ baseUrl: http2Url, httpVersion: "2" }),
    }),
  };
  for (const [protocol, transport] of Object.entries(transports)) {
    const client = createClient(LibraryService, transport);
    const parent = `shelves/${protocol.toLowerCase().replaceAll(/\W/g, "-")}`;
    const created = await client.createBook({ parent, book: { title: "Momo" } });
    const found = await client.getBook({ name: created.name });
    const exported = [];
    for await (const book of client.exportBooks({ parent })) {
      exported.push(book.title);
    }
    const isRight = found.title === "Momo" && exported.join() === "Momo";
    check(`${host}: ${protocol}`, isRight, JSON.stringify([found, exported]));
    const missing = await client.getBook({ name: `${parent}/books/0` }).catch((error) => error);
    check(`${host}: an error over ${protocol}`, missing.code === 5, String(missing));
  }
  if (hasHttp1 && !isOwnServer) {
    const own = await (await fetch(`${url}/hello`)).json();
    check(`${host}: a route of its own`, typeof own.hello === "string", JSON.stringify(own));
  }
  if (host === "workers") {
    const { status } = await fetch(`${url}/docs`);
    check(`${host}: the API reference`, status === 200, `status ${status}`);
  }
}

const chosen = process.argv.slice(2);
for (const [host, start] of Object.entries(HOSTS)) {
  if (chosen.length === 0 || chosen.includes(host)) {
    await start().then(
      (urls) => call(host, urls),
      (error) => check(`${host} starts`, false, error.message),
    );
  }
}
conclude();
process.exit();
