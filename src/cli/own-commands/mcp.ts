import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createCaller } from "connect-transcoding";
import { serveTools } from "connect-transcoding/mcp";
import { watchFiles } from "connect-transcoding-operations/files/data-files";
import { formatAuthority } from "../../config/addresses.js";
import { type Environment, readConfig } from "../../config/read-config.js";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { ERROR_DOMAIN } from "../../service/access-names.js";
import { mcpOptions } from "../../service/mcp.js";
import { loadTools } from "../../tools/load-tools.js";

/** The longest message in bytes; a longer one ends the connection. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/**
 * Serves the tools to the program that has started this one. Standard output has nothing but messages. Resolves when standard input ends.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function serveMcp(env: Environment): Promise<ExitStatus> {
  const problem = (text: string): void => console.error(`utility-tools mcp: ${text}`);
  const config = readConfig(env);
  if (!config.ok) {
    problem(config.failure.description);
    return EXIT.config;
  }
  const { host, port, publicBaseUrl = `http://${formatAuthority(host, port)}` } = config.value;
  const tools = await loadTools(config.value, {
    ...{ now: Date.now, randomBytes, watchFiles },
    report: (event) => {
      if (event.kind === "data_refused") {
        problem(event.description);
      }
    },
  });
  if (!tools.ok) {
    problem(tools.failure.description);
    return EXIT.unavailable;
  }
  const { unknownParameters, maxRequestBytes } = config.value;
  const caller = createCaller({
    routes: (router) => {
      for (const tool of tools.value) {
        tool.routes(router);
      }
    },
    readMaxBytes: maxRequestBytes,
    transcoding: {
      unknownParameters,
      publicBaseUrl,
      errorDomain: ERROR_DOMAIN,
      onError: (error) => problem(String(error)),
    },
  });
  const transport = new EndingTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const handle = await serveTools(caller, mcpOptions(false), {
    transport,
    onerror: ({ message }) => problem(message),
  });
  await once(process.stdin, "close");
  await handle.close();
  for (const tool of tools.value) {
    tool.close?.();
  }
  return EXIT.ok;
}

/** Ends standard input when the server closes the connection, so that the process ends, too. */
class EndingTransport extends StdioServerTransport {
  override async close(): Promise<void> {
    await super.close();
    process.stdin.destroy();
  }
}
