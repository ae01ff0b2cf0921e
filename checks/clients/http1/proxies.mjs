import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../../test/ports.ts";
import { envoy, nginx, throughProxy } from "../proxies.mjs";
import { python, sendCases } from "./clients.mjs";
import { EMAIL, ENV, JSON_TYPE, LOOKUP, NORMALIZED, serveLibrary } from "./service.mjs";

const WORKERS = 16;

const PERSISTENT = 'proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off;';
/**
 * How nginx is configured. The defaults are HTTP/1.0 and a connection for each request. nginx sends chunked bodies with a Content-Length,
 * unless it does not wait for their ends. It then cannot send them again.
 */
const NGINX = [
  {
    name: "HTTP/1.0",
    settings: { upstream: "" },
    // The response to HTTP/1.0 has no trailers, so the service sends its length.
    adapt: ({ expected: { trailers, coding, ...rest }, ...each }) => ({
      ...each,
      expected: trailers === undefined ? { ...rest, ...(coding && { coding }) } : rest,
    }),
  },
  { name: "HTTP/1.1", settings: { location: PERSISTENT } },
  {
    name: "HTTP/1.1, chunked",
    settings: { location: `${PERSISTENT} proxy_request_buffering off;` },
    restarts: 0,
    // nginx announces keep-alive with a response that comes before the end of the body, and then closes the connection.
    adapt: (each) => (each.expected.status === 413 ? { ...each, close: true } : each),
  },
];

/** Tries nginx. */
export async function tryNginx(context) {
  for (const mode of NGINX) {
    const server = "client_max_body_size 0; keepalive_requests 100000;";
    const start = nginx({ scheme: "http", server, ...mode.settings });
    await tryProxy(`nginx, ${mode.name}`, start, context, mode);
  }
}

/** Tries Envoy with HTTP/1.1 and persistent connections. */
export const tryEnvoy = async (context) => tryProxy("envoy", await envoy(1), context);

/** Sends all cases through a proxy. */
async function tryProxy(kind, start, context, { restarts, adapt } = {}) {
  for (const files of start === undefined ? [] : [undefined, context.certificate]) {
    const name = `${kind}, ${files === undefined ? "cleartext" : "TLS"}`;
    const library = await serveLibrary();
    const others = [{ name: "library", ports: [Number(new URL(library.url).port)], port: await freePort() }];
    const trial = async (...ports) => {
      const client = python("http.client");
      if (client !== undefined) {
        const urls = ports.map((port) => `http://127.0.0.1:${port}`);
        await sendCases(`http.client through ${name}`, client, ...urls, undefined, { ...context, adapt });
      }
    };
    const load = (port) => startLoad(`http://127.0.0.1:${port}`, context.lookup);
    await throughProxy(name, start, { files, env: ENV, others, restarts, trial, load });
    await library.stop();
  }
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
  const failures = {};
  let calls = 0;
  let isStopped = false;
  const work = async () => {
    while (!isStopped) {
      const { path, options, expected } = kinds[calls++ % kinds.length];
      const found = await fetch(url + path, options())
        .then(async (response) => `${response.status} ${await response.text()}`)
        .catch((error) => String(error.cause ?? error));
      if (found !== `200 ${expected}`) {
        failures[found] = (failures[found] ?? 0) + 1;
      }
      await wait(2);
    }
  };
  const workers = Array.from({ length: WORKERS }, work);
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
      return { calls, failures };
    },
  };
}
