import { requestLimit } from "connect-transcoding";
import { openApiDocument } from "connect-transcoding/openapi";
import { readHttpBindings } from "connect-transcoding/rules";
import { TOOL_SERVICES } from "../tools/load-tools.js";
import { readConfig } from "./config/read-config.js";
import { loadDocumentation } from "./documentation.js";
import { ERROR_DOMAIN } from "./server.js";

/** Prints the OpenAPI document that the service with these settings has at `/openapi.json`. */
function main(): void {
  const config = readConfig(process.env);
  if (!config.ok) {
    console.error(`the document cannot be written: ${config.failure.description}`);
    process.exitCode = 1;
    return;
  }
  const bindings = TOOL_SERVICES.flatMap(({ methods }) => methods.flatMap(readHttpBindings));
  const document = openApiDocument(bindings, loadDocumentation(), {
    baseUrl: config.value.publicBaseUrl,
    requestLimit: requestLimit(config.value.maxRequestBytes),
    errorDomain: ERROR_DOMAIN,
  });
  console.log(JSON.stringify(document, null, 2));
}

main();
