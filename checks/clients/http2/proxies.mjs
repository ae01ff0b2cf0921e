import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { check } from "../../lib/checks.mjs";
import { pythonPrograms } from "../programs.mjs";
import { tryCalls } from "./grpc-clients.mjs";
import { freePort, has, PROTOS, runAsync, serve } from "./service.mjs";

const GRPC_JS = [process.execPath, join(import.meta.dirname, "grpc-js.mjs")];
const SECONDS = 10;

/** Tries Envoy, whose connections to the service are HTTP/2 for all requests. */
export async function tryEnvoy({ certificate, folder }) {
  const packages = pythonPrograms("envoy", join(import.meta.dirname, "python", "envoy.txt"));
  if (packages === undefined) {
    return;
  }
  for (const files of [undefined, certificate]) {
    await tryProxy(`envoy, ${files === undefined ? "cleartext" : "TLS"}`, files, async (ports, port) => {
      return spawnEnvoy(packages, folder, envoyConfig(ports, port, files));
    });
  }
}

/** Tries nginx, whose connections to the service are HTTP/2 for gRPC. */
export async function tryNginx({ certificate, folder }) {
  if (!has("nginx", "-v", "Debian's nginx-light")) {
    return;
  }
  for (const files of [undefined, certificate]) {
    await tryProxy(`nginx, ${files === undefined ? "cleartext" : "TLS"}`, files, async (ports, port) => {
      return spawnNginx(folder, nginxServers(ports, port, files));
    });
  }
}

/** Starts Envoy with a configuration. */
export function spawnEnvoy(packages, folder, config) {
  const file = join(folder, "envoy.json");
  writeFileSync(file, JSON.stringify(config));
  const args = ["-c", file, "--log-level", "error", "--concurrency", "1", "--disable-hot-restart"];
  return spawn(join(packages, "bin", "envoy"), args, { stdio: ["ignore", "ignore", "inherit"] });
}

/** Starts nginx with the content of its `http` block. */
export function spawnNginx(folder, servers) {
  const at = (name) => join(folder, name);
  mkdirSync(at("temp"), { recursive: true });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${at("temp")};`,
  );
  writeFileSync(
    at("nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""}
    daemon off; worker_processes 1; pid ${at("nginx.pid")}; error_log ${at("nginx-error.log")};
    events { worker_connections 4096; }
    http { ${temporary.join(" ")} access_log off; ${servers} }`,
  );
  return spawn("nginx", ["-c", at("nginx.conf"), "-p", folder, "-e", at("nginx-error.log")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, PATH: [process.env.PATH, "/usr/sbin"].join(delimiter) },
  });
}

/** Makes gRPC calls through a proxy in front of two services, and then restarts one after the other under load. */
async function tryProxy(name, files, start) {
  const ports = [await freePort(), await freePort()];
  const services = await Promise.all(ports.map((port) => serve(files, { PORT: String(port) })));
  const port = await freePort();
  const proxy = await start(ports, port);
  const exit = once(proxy, "exit");
  await Promise.race([untilListening(port), exit]);
  const target = `127.0.0.1:${port}`;
  await tryCalls(`grpc-js through ${name}`, GRPC_JS, ["calls", target, PROTOS, ""]);

  const [program, script] = GRPC_JS;
  const load = runAsync(program, [script, "load", target, PROTOS, "", String(SECONDS)]);
  for (const [index, service] of services.entries()) {
    await wait(2_000);
    const code = await service.stop();
    check(`${name}: service ${index + 1} has shut down under load`, code === 0, code);
    services[index] = await serve(files, { PORT: String(ports[index]) });
    // The proxy must find it again before the other one shuts down.
    await wait(1_500);
  }
  const { status, stdout, stderr } = await load;
  const { calls, failures } = status === 0 ? JSON.parse(stdout) : { calls: 0, failures: { [stderr]: 1 } };
  check(
    `grpc-js through ${name}: of ${calls} calls during 2 restarts, none is lost`,
    calls > 100 && Object.keys(failures).length === 0,
    JSON.stringify(failures),
  );
  proxy.kill("SIGTERM");
  await exit;
  await Promise.all(services.map((service) => service.stop()));
}

/** Resolves when something listens on a port of 127.0.0.1. */
export async function untilListening(port) {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isListening = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) {
      return;
    }
    await wait(50);
  }
}

/** The configuration of Envoy with a listener and a cluster, whose connections are HTTP/2, or else HTTP/1.1. */
export function envoyConfig(ports, port, files, { name = "service", http1 = false } = {}) {
  const protocol = {
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
      "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
      explicit_http_config: http1 ? { http_protocol_options: {} } : { http2_protocol_options: {} },
    },
  };
  const address = (port_value) => ({ socket_address: { address: "127.0.0.1", port_value } });
  const tls = {
    name: "envoy.transport_sockets.tls",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
      common_tls_context: {
        alpn_protocols: [http1 ? "http/1.1" : "h2"],
        validation_context: { trusted_ca: { filename: files?.cert } },
      },
    },
  };
  const cluster = {
    name,
    type: "STATIC",
    connect_timeout: "1s",
    // The default allows three retries at once.
    circuit_breakers: { thresholds: [{ max_retries: 1_000 }] },
    typed_extension_protocol_options: protocol,
    load_assignment: {
      cluster_name: name,
      endpoints: [{ lb_endpoints: ports.map((each) => ({ endpoint: { address: address(each) } })) }],
    },
    ...(files === undefined ? {} : { transport_socket: tls }),
  };
  const route = {
    match: { prefix: "/" },
    route: {
      cluster: name,
      timeout: "0s",
      // Only calls that the service has not accepted. Over HTTP/1.1, these are requests on a connection that it has closed as idle.
      retry_policy: {
        retry_on: http1 ? "connect-failure,reset-before-request,reset" : "connect-failure,refused-stream",
        num_retries: 5,
        retry_host_predicate: [
          {
            name: "envoy.retry_host_predicates.previous_hosts",
            typed_config: {
              "@type":
                "type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate",
            },
          },
        ],
        host_selection_retry_max_attempts: "5",
      },
    },
  };
  const manager = {
    "@type":
      "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    stat_prefix: "ingress",
    codec_type: "AUTO",
    proxy_100_continue: http1,
    http_filters: [
      {
        name: "envoy.filters.http.router",
        typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
      },
    ],
    route_config: { virtual_hosts: [{ name: "all", domains: ["*"], routes: [route] }] },
  };
  const listener = {
    address: address(port),
    filter_chains: [
      { filters: [{ name: "envoy.filters.network.http_connection_manager", typed_config: manager }] },
    ],
  };
  return { static_resources: { listeners: [listener], clusters: [cluster] } };
}

function nginxServers(ports, port, files) {
  return `
      http2_max_concurrent_streams 1000;
      upstream service {
        ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(" ")}
        keepalive 16;
      }
      server {
        listen 127.0.0.1:${port} http2;
        location / {
          grpc_pass ${files === undefined ? "grpc" : "grpcs"}://service;
          ${files === undefined ? "" : `grpc_ssl_trusted_certificate ${files.cert}; grpc_ssl_verify on; grpc_ssl_name localhost;`}
          grpc_next_upstream error timeout non_idempotent; grpc_next_upstream_tries 3;
        }
      }`;
}
