import { randomBytes } from "node:crypto";
import { readConfig } from "./config/read-config.js";
import { loadDocumentation } from "./documentation.js";
import { watchFiles } from "./files/watch-files.js";
import { loadTools } from "./load-tools.js";
import { openApiDocument } from "./openapi/open-api-document.js";
import { readHttpBindings } from "./transcoding/http-rule.js";

/** Prints the OpenAPI document that the service with these settings has at `/openapi.json`. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  if (!config.ok) {
    return fail(config.failure.description);
  }
  // The document is the same whether or not the data can be used.
  const world = { now: Date.now, randomBytes, watchFiles, report: () => {} };
  const tools = await loadTools(config.value, world);
  if (!tools.ok) {
    return fail(tools.failure.description);
  }
  const bindings = tools.value.flatMap(({ service }) => service.methods.flatMap(readHttpBindings));
  const document = openApiDocument(bindings, loadDocumentation(), {
    baseUrl: config.value.publicBaseUrl,
    maxBodyBytes: config.value.maxRequestBytes,
  });
  console.log(JSON.stringify(document, null, 2));
}

function fail(problem: string): void {
  console.error(`the document cannot be written: ${problem}`);
  process.exitCode = 1;
}

await main();
