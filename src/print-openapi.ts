import { randomBytes } from "node:crypto";
import { readConfig } from "./config/read-config.js";
import { loadDocumentation } from "./documentation.js";
import { openApiDocument } from "./openapi/open-api-document.js";
import { loadServices } from "./services.js";
import { readHttpBindings } from "./transcoding/http-rule.js";

/** Prints the OpenAPI document that the service with these settings has at `/openapi.json`. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  if (!config.ok) {
    return fail(config.failure.description);
  }
  const services = await loadServices(config.value, { now: Date.now, randomBytes });
  if (!services.ok) {
    return fail(services.failure.description);
  }
  const bindings = services.value.flatMap(({ service }) => service.methods.flatMap(readHttpBindings));
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
