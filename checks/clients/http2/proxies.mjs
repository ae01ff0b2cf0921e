import { join } from "node:path";
import { envoy, nginx, throughProxy } from "../proxies.mjs";
import { PROTOS, runAsync } from "../service.mjs";
import { tryCalls } from "./grpc-clients.mjs";

const GRPC_JS = [process.execPath, join(import.meta.dirname, "grpc-js.mjs")];
/** How long the load takes: longer than two restarts. */
const SECONDS = "10";

/** Tries Envoy, whose connections to the service are HTTP/2 for all requests. */
export const tryEnvoy = (context) => tryProxy("envoy", envoy(context), context);

/** Tries nginx, whose connections to the service are HTTP/2 for gRPC. */
export const tryNginx = (context) => tryProxy("nginx", nginx(context, nginxServer), context);

/** Makes gRPC calls through a proxy. */
async function tryProxy(kind, start, { certificate }) {
  for (const files of start === undefined ? [] : [undefined, certificate]) {
    const name = `grpc-js through ${kind}, ${files === undefined ? "cleartext" : "TLS"}`;
    const trial = (port) => tryCalls(name, GRPC_JS, ["calls", `127.0.0.1:${port}`, PROTOS, ""]);
    await throughProxy(name, start, { files, trial, load: startLoad });
  }
}

function startLoad(port) {
  const [program, script] = GRPC_JS;
  const load = runAsync(program, [script, "load", `127.0.0.1:${port}`, PROTOS, "", SECONDS]);
  const stop = async () => {
    const { status, stdout, stderr } = await load;
    const { calls, failures } = status === 0 ? JSON.parse(stdout) : { calls: 0, failures: { [stderr]: 1 } };
    return { requests: calls, failures };
  };
  return { stop };
}

function nginxServer({ name, ports, port, files }) {
  return `
      http2_max_concurrent_streams 1000;
      upstream ${name} {
        ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(" ")}
        keepalive 16;
      }
      server {
        listen 127.0.0.1:${port} http2;
        location / {
          grpc_pass ${files === undefined ? "grpc" : "grpcs"}://${name};
          ${files === undefined ? "" : `grpc_ssl_trusted_certificate ${files.cert}; grpc_ssl_verify on; grpc_ssl_name localhost;`}
          grpc_next_upstream error timeout non_idempotent; grpc_next_upstream_tries 3;
        }
      }`;
}
