// Proxies in front of two services.
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../test/ports.ts";
import { check, checkEqual } from "../lib/checks.mjs";
import { envoyConfig } from "../lib/envoy-config.ts";
import { findEnvoy, startEnvoy, startNginx } from "../lib/programs.ts";
import { hasDebian, serve } from "./service.mjs";

/**
 * An upstream of a proxy: the ports of its servers, and the port where the proxy listens for it.
 *
 * @typedef {{ name: string, ports: number[], port: number, files?: { cert: string } }} Upstream
 */

const PREVIOUS_HOSTS = "envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate";

/** Resolves to a function that starts Envoy for upstreams, with HTTP/1.1 or HTTP/2; undefined if Envoy cannot run here. */
export async function envoy(http) {
  const route = {
    // Only calls that the service has not accepted. Over HTTP/1.1, these are requests on a connection that it has closed as idle.
    retry_policy: {
      retry_on: http === 1 ? "connect-failure,reset-before-request,reset" : "connect-failure,refused-stream",
      num_retries: 5,
      retry_host_predicate: [
        {
          name: "envoy.retry_host_predicates.previous_hosts",
          typed_config: { "@type": `type.googleapis.com/${PREVIOUS_HOSTS}` },
        },
      ],
      host_selection_retry_max_attempts: "5",
    },
  };
  const manager = { proxy_100_continue: http === 1 };
  const configOf = ({ files, ...upstream }) => ({
    ...upstream,
    http,
    certificate: files?.cert,
    manager,
    route,
  });
  return (await findEnvoy()) === undefined
    ? undefined
    : (upstreamsAt) => startEnvoy((_, port) => envoyConfig(upstreamsAt(port).map(configOf)));
}

/**
 * Returns a function that starts nginx for upstreams; undefined if nginx is not installed. `scheme` is that of the upstreams without TLS,
 * as nginx names it. The others are the settings of these blocks.
 */
export function nginx({ scheme, location = "", server = "", upstream = "keepalive 16;" }) {
  const module = scheme === "grpc" ? "grpc" : "proxy";
  const block = ({ name, ports, port, files }) => `
    upstream ${name} {
      ${ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(" ")} ${upstream}
    }
    server {
      listen 127.0.0.1:${port}${scheme === "grpc" ? " http2" : ""};
      ${server}
      location / {
        ${module}_pass ${scheme}${files === undefined ? "" : "s"}://${name};
        ${files === undefined ? "" : `${module}_ssl_trusted_certificate ${files.cert}; ${module}_ssl_verify on; ${module}_ssl_name localhost;`}
        ${module}_next_upstream error timeout non_idempotent; ${module}_next_upstream_tries 3;
        ${location}
      }
    }`;
  return hasDebian("nginx", "nginx-light")
    ? (upstreamsAt) => startNginx((_, port) => `access_log off; ${upstreamsAt(port).map(block).join("\n")}`)
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
  const proxy = await start((port) => [...others, { name: "service", ports, port, files }]);
  await trial(proxy.port, ...others.map(({ port }) => port));
  if (restarts > 0) {
    const running = load(proxy.port);
    for (let restart = 0; restart < restarts; restart++) {
      const index = restart % services.length;
      await wait(1_000);
      checkEqual(`${name}: service ${index + 1} has shut down under load`, await services[index].stop(), 0);
      services[index] = await serveAt(ports[index]);
      // The proxy must find it again before the other one shuts down.
      await wait(1_500);
    }
    const { calls, failures } = await running.stop();
    const what = `${name}: of ${calls} requests during ${restarts} restarts, none is lost`;
    check(what, calls > 100 && Object.keys(failures).length === 0, failures);
  }
  await proxy.stop();
  await Promise.all(services.map((service) => service.stop()));
}
