import { randomBytes } from "node:crypto";
import type { TlsFiles, TransportOptions } from "connect-transcoding";
import { loadDocumentation } from "../../src/service/documentation.js";
import { type Server, startServer } from "../../src/service/server.js";
import { openTlsFiles } from "../../src/service/tls-files.js";
import { releaseTools } from "../release-tools.js";

// The service that the hostile callers meet: all of the release, with the transport's options as JSON in the first argument,
// and the files of a certificate and its key in the two behind it.

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
// What is still in use is known only once all that is not has been collected.
process.on("message", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.(heapUsed + external);
});
process.once("disconnect", () => process.exit(1));
