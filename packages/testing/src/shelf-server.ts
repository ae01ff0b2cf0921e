import { readFileSync } from "node:fs";
import { createServer, healthRoutes, reflectionRoutes } from "connect-transcoding";
import { ShelfService, shelfRoutes } from "./shelf-service.js";

// Serves the shelf service with health checks and reflection until SIGTERM, and prints `ready on URL`. The book `long` has a long title.
// The environment has PORT, TLS_CERT_FILE and TLS_KEY_FILE, and in LIMITS the limits of connections that differ from the defaults, as JSON.

const LONG_TITLE = "A long title. ".repeat(3_100);
const { PORT = "0", TLS_CERT_FILE: cert, TLS_KEY_FILE: key = "", LIMITS = "{}" } = process.env;

const shelf = shelfRoutes({
  getBook: ({ name }) => ({ name, title: name.endsWith("/long") ? LONG_TITLE : "short" }),
});
const health = healthRoutes({
  services: [ShelfService.typeName],
  isServing: () => true,
  isStopping: () => false,
  onChange: () => () => {},
});
const server = createServer({
  routes: (router) => {
    shelf(router);
    health(router);
    reflectionRoutes([ShelfService])(router);
  },
  readMaxBytes: 64 * 1024,
  transport: {
    ...JSON.parse(LIMITS),
    ...(cert !== undefined && {
      tls: { current: { cert: readFileSync(cert), key: readFileSync(key) }, onChange: () => {} },
    }),
  },
  transcoding: { checkHost: true, onError: (error) => console.error("bug:", error) },
});
const { port } = await server.listen("127.0.0.1", Number(PORT));
console.log(`ready on http${cert === undefined ? "" : "s"}://127.0.0.1:${port}`);
process.once("SIGTERM", () => void server.close(0).then(() => process.exit(0)));
