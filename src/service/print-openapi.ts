import { describeAccess } from "connect-transcoding-operations/access/access";
import { readConfig } from "../config/read-config.js";
import { TOOL_SERVICES } from "../tools/tool-services.js";
import { cachingOptions } from "./caching.js";
import { loadDocumentation, serviceDocument } from "./documentation.js";

/** Prints the OpenAPI document that the service would return at `/openapi.json` with the settings in the environment. */
function main(): void {
  const config = readConfig(process.env);
  if (!config.ok) {
    console.error(`the document cannot be written: ${config.failure.description}`);
    process.exitCode = 1;
    return;
  }
  const document = serviceDocument(TOOL_SERVICES, loadDocumentation(), {
    ...config.value,
    ...describeAccess(config.value),
    methodOptions: cachingOptions(config.value),
  });
  console.log(JSON.stringify(document, null, 2));
}

main();
