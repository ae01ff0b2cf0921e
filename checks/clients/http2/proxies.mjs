import { envoy, nginx, throughProxy } from "../proxies.mjs";
import { GRPC_JS, makeLoad, tryCalls } from "./grpc-clients.mjs";

/** How long the load takes: longer than two restarts. */
const SECONDS = 10;

/** Tries Envoy, whose connections to the service are HTTP/2 for all requests. */
export const tryEnvoy = async (context) => tryProxy("envoy", await envoy(2), context);

/** Tries nginx, whose connections to the service are HTTP/2 for gRPC. */
export const tryNginx = (context) => {
  const start = nginx({ scheme: "grpc", server: "http2_max_concurrent_streams 1000;" });
  return tryProxy("nginx", start, context);
};

/** Makes gRPC calls through a proxy. */
async function tryProxy(kind, start, { certificate }) {
  for (const files of start === undefined ? [] : [undefined, certificate]) {
    const name = `grpc-js through ${kind}, ${files === undefined ? "cleartext" : "TLS"}`;
    const trial = (port) => tryCalls(name, GRPC_JS, `127.0.0.1:${port}`);
    const load = (port) => {
      const made = makeLoad(GRPC_JS, SECONDS, `127.0.0.1:${port}`);
      return { stop: () => made };
    };
    await throughProxy(name, start, { files, trial, load });
  }
}
