import { randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { TlsFiles, TransportOptions } from "connect-transcoding";
import { loadDocumentation } from "../../src/service/documentation.js";
import { type Server, startServer } from "../../src/service/server.js";
import { openTlsFiles } from "../../src/service/tls-files.js";
import { releaseTools } from "../../test/release-tools.js";
import type { Status } from "./target.js";

// The service under attack: all tools. Arguments: the transport options as JSON, and optionally the certificate and key
// files.

async function tlsFiles(certFile: string, keyFile: string): Promise<TlsFiles> {
  const files = await openTlsFiles({ certFile, keyFile, now: Date.now, warn: console.error });
  if (!files.ok) {
    throw new Error(files.failure.description);
  }
  return files.value;
}

async function main([json = "{}", certFile, keyFile]: readonly string[]): Promise<Server> {
  const options: Partial<TransportOptions> = JSON.parse(json);
  const tls = certFile && keyFile ? await tlsFiles(certFile, keyFile) : undefined;
  const server = await startServer({
    host: "127.0.0.1",
    port: 0,
    publicBaseUrl: undefined,
    unknownParameters: "reject",
    tools: await releaseTools({ now: Date.now, randomBytes }),
    documentation: loadDocumentation(),
    transport: { ...options, tls },
    reportBug: (bug, method = "the server") => console.error(`bug in ${method}:`, bug),
  });
  if (!server.ok) {
    throw new Error(server.failure.description);
  }
  console.log(`ready on ${server.value.url}`);
  return server.value;
}

const server = await main(process.argv.slice(2));
process.once("SIGTERM", () => void server.stop(1000).then(() => process.exit(0)));
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on("message", () => {
  const lag = delay.max / 1e6;
  // Only memory that remains after a garbage collection is in use.
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const status: Status = { usedMemory: (heapUsed + external) / 1024 ** 2, lag };
  process.send?.(status);
  delay.reset();
});
process.once("disconnect", () => process.exit(1));
