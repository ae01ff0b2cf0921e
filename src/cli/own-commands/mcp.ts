import { randomBytes } from "node:crypto";
import { createCaller } from "connect-transcoding";
import { serveTools } from "connect-transcoding/mcp";
import { watchFiles } from "connect-transcoding-operations/files/data-files";
import { formatAuthority } from "../../config/addresses.js";
import { readConfig } from "../../config/read-config.js";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { ERROR_DOMAIN } from "../../service/access-names.js";
import { mcpOptions } from "../../service/mcp.js";
import { loadTools } from "../../tools/load-tools.js";
import type { ProcessContext } from "../run.js";
import { StreamError } from "../stream-error.js";

/**
 * Serves the tools to the program that has started this one. Standard output has nothing but messages. Resolves when standard input ends.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function serveMcp({
  env,
  input,
  out,
}: Pick<ProcessContext, "env" | "input" | "out">): Promise<ExitStatus> {
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
  try {
    await serveTools(caller, mcpOptions(false), {
      input: input.chunks,
      write: (text) => out.sink.write(text),
    });
  } catch (thrown) {
    // The program that reads the output waits for responses: it is an error if it has gone.
    throw thrown instanceof StreamError ? new StreamError(thrown.message, thrown.status, thrown) : thrown;
  } finally {
    for (const tool of tools.value) {
      tool.close?.();
    }
  }
  return EXIT.ok;
}
