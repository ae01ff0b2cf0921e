// What `bundle.test.ts` bundles.
export { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
export { createTranscodingHandler } from "../../src/hosts/fetch.js";
export { mcpPage } from "../../src/mcp/index.js";
