import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { check } from "../../lib/checks.mjs";
import { envoyConfig, spawnEnvoy, spawnNginx, untilListening } from "../http2/proxies.mjs";
import { freePort, serve } from "../http2/service.mjs";
import { pythonPrograms } from "../programs.mjs";
import { python, sendCases } from "./clients.mjs";
import { EMAIL, ENV, hasDebian, JSON_TYPE, LOOKUP, NORMALIZED, serveLibrary } from "./service.mjs";

const WORKERS = 16;
const RESTARTS = 2;

const PERSISTENT = 'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;';
/**
 * How nginx is configured. The defaults are HTTP/1.0 and a connection for each request. nginx sends chunked bodies with a Content-Length,
 * unless it does not wait for their ends. It then cannot send them again.
 */
const NGINX = [
  { name: "HTTP/1.0", settings: "" },
  { name: "HTTP/1.1", settings: PERSISTENT, keepalive: "keepalive 16;" },
  {
    name: "HTTP/1.1, chunked",
    settings: `${PERSISTENT} proxy_request_buffering off;`,
    keepalive: "keepalive 16;",
    restarts: 0,
    // nginx announces keep-alive with a response that comes before the end of the body, and then closes the connection.
    adapt: (each) => (each.expected.status === 413 ? { ...each, close: true } : each),
  },
];

/** Tries nginx. */
export async function tryNginx(context) {
  if (!hasDebian("nginx", "nginx-light")) {
    return;
  }
  for (const files of [undefined, context.certificate]) {
    for (const mode of NGINX) {
      const name = `nginx, ${mode.name}, ${files === undefined ? "cleartext" : "TLS"}`;
      const start = (upstreams) =>
        spawnNginx(context.folder, upstreams.map((each) => nginxServer(each, mode)).join("\n"));
      await tryProxy(name, context, files, start, mode);
    }
  }
}

/** Tries Envoy with HTTP/1.1 and persistent connections. */
export async function tryEnvoy(context) {
  const packages = pythonPrograms("envoy", join(import.meta.dirname, "..", "http2", "python", "envoy.txt"));
  if (packages === undefined) {
    return;
  }
  for (const files of [undefined, context.certificate]) {
    await tryProxy(`envoy, ${files === undefined ? "cleartext" : "TLS"}`, context, files, (upstreams) => {
      const configs = upstreams.map(({ name, ports, port, files }) =>
        envoyConfig(ports, port, files, { name, http1: true }),
      );
      const resources = configs.map(({ static_resources }) => static_resources);
      const all = (kind) => resources.flatMap((each) => each[kind]);
      const config = { listeners: all("listeners"), clusters: all("clusters") };
      return spawnEnvoy(packages, context.folder, { static_resources: config });
    });
  }
}

/** Sends all cases through a proxy in front of two services, and then restarts one after the other under load. */
async function tryProxy(name, context, files, start, { restarts = RESTARTS, adapt } = {}) {
  const ports = [await freePort(), await freePort()];
  const serveAt = (port) => serve(files, { ...ENV, PORT: String(port) });
  const services = await Promise.all(ports.map(serveAt));
  const library = await serveLibrary();
  const upstreams = [
    { name: "service", ports, port: await freePort(), files },
    { name: "library", ports: [Number(new URL(library.url).port)], port: await freePort() },
  ];
  const proxy = await start(upstreams);
  const exit = once(proxy, "exit");
  await Promise.race([Promise.all(upstreams.map(({ port }) => untilListening(port))), exit]);
  const [url, libraryUrl] = upstreams.map(({ port }) => `http://127.0.0.1:${port}`);
  const client = python("http.client");
  if (client !== undefined) {
    await sendCases(`http.client through ${name}`, client, url, libraryUrl, undefined, { ...context, adapt });
  }

  if (restarts > 0) {
    await tryRestarts(
      name,
      restarts,
      services,
      (index) => serveAt(ports[index]),
      startLoad(url, context.lookup),
    );
  }
  proxy.kill("SIGTERM");
  await exit;
  await Promise.all([...services, library].map((service) => service.stop()));
}

/** Restarts one service after the other, and checks that no request of the load is lost. */
async function tryRestarts(name, restarts, services, start, load) {
  for (let restart = 0; restart < restarts; restart++) {
    const index = restart % services.length;
    await wait(500);
    const code = await services[index].stop();
    check(`${name}: service ${index + 1} has shut down under load`, code === 0, code);
    services[index] = await start(index);
    // The proxy must find it again before the other one shuts down.
    await wait(1_500);
  }
  const { requests, failures } = await load.stop();
  check(
    `${name}: of ${requests} requests during ${restarts} restarts, none is lost`,
    requests > 100 && failures.size === 0,
    JSON.stringify([...failures]),
  );
}

/** Sends GET and POST requests, the latter with and without chunks, until it is stopped. Failures are counted by their kind. */
function startLoad(url, lookup) {
  const post = { method: "POST", headers: JSON_TYPE };
  const chunked = () => ({ ...post, body: new Blob([EMAIL]).stream(), duplex: "half" });
  const kinds = [
    { path: LOOKUP, options: () => ({}), expected: lookup },
    { path: "/v1/sanitizeEmail", options: () => ({ ...post, body: EMAIL }), expected: NORMALIZED },
    { path: "/v1/sanitizeEmail", options: chunked, expected: NORMALIZED },
  ];
  const failures = new Map();
  let requests = 0;
  let isStopped = false;
  const work = async () => {
    while (!isStopped) {
      const { path, options, expected } = kinds[requests++ % kinds.length];
      const found = await fetch(url + path, options())
        .then(async (response) => `${response.status} ${await response.text()}`)
        .catch((error) => String(error.cause ?? error));
      if (found !== `200 ${expected}`) {
        failures.set(found, (failures.get(found) ?? 0) + 1);
      }
      await wait(2);
    }
  };
  const workers = Array.from({ length: WORKERS }, work);
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
      return { requests, failures };
    },
  };
}

function nginxServer({ name, ports, port, files }, { settings, keepalive = "" }) {
  const scheme = files === undefined ? "http" : "https";
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=0;`).join(" ");
  return `
    upstream ${name} { ${servers} ${keepalive} }
    server {
      listen 127.0.0.1:${port};
      client_max_body_size 0; keepalive_requests 100000;
      location / {
        proxy_pass ${scheme}://${name};
        ${files === undefined ? "" : `proxy_ssl_trusted_certificate ${files.cert}; proxy_ssl_verify on; proxy_ssl_name localhost;`}
        proxy_next_upstream error timeout non_idempotent; proxy_next_upstream_tries 3;
        ${settings}
      }
    }`;
}
