// Proxies in front of two services.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { check } from "../lib/checks.mjs";
import { pythonPrograms } from "./programs.mjs";
import { ENV, freePort, hasDebian, serve } from "./service.mjs";

/**
 * An upstream of a proxy: the ports of its servers, and the port where the proxy listens for it.
 *
 * @typedef {{ name: string, ports: number[], port: number, files?: { cert: string } }} Upstream
 */

/** Returns a function that starts Envoy for upstreams, with HTTP/1.1 or HTTP/2; undefined if Envoy cannot run here. */
export function envoy({ folder }, { http1 = false } = {}) {
  const packages = pythonPrograms("envoy", join(import.meta.dirname, "envoy.txt"));
  return (
    packages &&
    ((upstreams) => {
      const configs = upstreams.map((each) => envoyConfig(each, http1));
      const [listeners, clusters] = ["listener", "cluster"].map((kind) => configs.map((each) => each[kind]));
      const file = join(folder, "envoy.json");
      writeFileSync(file, JSON.stringify({ static_resources: { listeners, clusters } }));
      const args = ["-c", file, "--log-level", "error", "--concurrency", "1", "--disable-hot-restart"];
      return spawn(join(packages, "bin", "envoy"), args, { stdio: ["ignore", "ignore", "inherit"] });
    })
  );
}

/** Returns a function that starts nginx for upstreams, whose blocks `write` returns; undefined if nginx is not installed. */
export function nginx({ folder }, write) {
  return hasDebian("nginx", "nginx-light")
    ? (upstreams) => spawnNginx(folder, upstreams.map(write).join("\n"))
    : undefined;
}

/**
 * Starts a proxy in front of two services, and of other upstreams; calls `trial` with the ports where it listens, and then restarts one
 * service after the other while `load` runs, of which no request may be lost. `load` returns `stop`, which resolves to the number of
 * requests, and of each failure.
 */
export async function throughProxy(name, start, { files, env = {}, others = [], restarts = 2, trial, load }) {
  const ports = [await freePort(), await freePort()];
  const serveAt = (port) => serve(files, { ...env, PORT: String(port) });
  const services = await Promise.all(ports.map(serveAt));
  const upstreams = [{ name: "service", ports, port: await freePort(), files }, ...others];
  const proxy = start(upstreams);
  const exit = once(proxy, "exit");
  await Promise.race([Promise.all(upstreams.map(({ port }) => untilListening(port))), exit]);
  const listening = upstreams.map(({ port }) => port);
  await trial(...listening);
  if (restarts > 0) {
    const running = load(listening[0]);
    for (let restart = 0; restart < restarts; restart++) {
      const index = restart % services.length;
      await wait(1_000);
      const code = await services[index].stop();
      check(`${name}: service ${index + 1} has shut down under load`, code === 0, code);
      services[index] = await serveAt(ports[index]);
      // The proxy must find it again before the other one shuts down.
      await wait(1_500);
    }
    const { requests, failures } = await running.stop();
    check(
      `${name}: of ${requests} requests during ${restarts} restarts, none is lost`,
      requests > 100 && Object.keys(failures).length === 0,
      JSON.stringify(failures),
    );
  }
  proxy.kill("SIGTERM");
  await exit;
  await Promise.all(services.map((service) => service.stop()));
}

/** Starts nginx with the content of its `http` block. */
function spawnNginx(folder, servers) {
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
    env: ENV,
  });
}

/** Resolves when something listens on a port of 127.0.0.1. */
async function untilListening(port) {
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

/** The configuration of Envoy for an upstream: a listener and a cluster, whose connections are HTTP/2, or else HTTP/1.1. */
function envoyConfig({ name, ports, port, files }, http1) {
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
  return { listener, cluster };
}
