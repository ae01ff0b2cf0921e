import { readConfig } from "./config/read-config.js";
import { loadDocumentation } from "./documentation.js";
import { TOOL_SERVICES } from "./load-tools.js";
import { openApiDocument } from "./openapi/open-api-document.js";
import { requestLimit } from "./rpc/request-limit.js";
import { readHttpBindings } from "./transcoding/http-rule.js";

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
  });
  console.log(JSON.stringify(document, null, 2));
}

main();
