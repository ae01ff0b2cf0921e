import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { digestOf } from "../../../src/service/access/api-keys.js";
import { createChecks } from "../checks.js";
import { missingPackages, startNginx } from "../nginx/nginx.js";
import { endServices, type ServiceProcess, startService } from "../service-process.js";

// Runs nginx with deploy/nginx.conf and its cache for all paths, so that only the headers of the service decide what it stores.
const missing = missingPackages();
if (missing.length > 0) {
  console.error(`Debian's ${missing.join(" and ")} must be installed`);
  process.exit(1);
}
process.on("exit", endServices);

type Nginx = Awaited<ReturnType<typeof startNginx>>;
type Change = readonly [old: string, by: string];

const LIST = "/v1/countries";
const EVERYTHING: Change = ["location /v1/countries {", "location /v1/ {"];
const SHOW_STATUS: Change = [
  "proxy_cache utility_tools;",
  "proxy_cache utility_tools; add_header x-cache $upstream_cache_status always;",
];
const SETTINGS = { TRUSTED_PROXIES: "127.0.0.1", PUBLIC_BASE_URL: "https://tools.example" };

const { check, ...checks } = createChecks();

interface Response {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** HIT, MISS and so on, as in nginx's `$upstream_cache_status`. */
  readonly cache: string;
}

async function ask(
  nginx: Nginx,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<Response> {
  const options = { method, headers, ca: nginx.ca, servername: "tools.example", agent: false };
  const outgoing = request(`${nginx.url}${path}`, options).end();
  const [response] = await once(outgoing, "response");
  const body = await buffer(response);
  const { statusCode: status, headers: received } = response;
  return { status, headers: received, body, cache: String(received["x-cache"]) };
}

/** Starts a service and nginx in front of it, runs the tests, and stops both. */
async function behindNginx(
  settings: Readonly<Record<string, string>>,
  changes: readonly Change[],
  run: (nginx: Nginx, service: ServiceProcess) => Promise<void>,
): Promise<void> {
  const service = await startService(settings);
  const port = Number(new URL(service.url).port);
  const nginx = await startNginx([port, port], [SHOW_STATUS, ...changes]);
  try {
    await run(nginx, service);
  } finally {
    await nginx.stop();
    await service.end("SIGTERM");
  }
}

/** Whether two responses to the same request came from the service, with a status. */
const areFresh = (responses: readonly Response[], status: number): boolean =>
  responses.every((response) => response.cache === "MISS" && response.status === status);

await behindNginx(SETTINGS, [EVERYTHING], async (nginx, service) => {
  const twice = async (path: string) => [await ask(nginx, path), await ask(nginx, path)] as const;

  const [first, second] = await twice(LIST);
  check(
    "the second request hits the cache",
    first.cache === "MISS" && second.cache === "HIT",
    second.headers,
  );
  check("a hit has the same body", first.status === 200 && second.body.equals(first.body));

  const zipped = await ask(nginx, LIST, { "accept-encoding": "gzip" });
  const plain = await ask(nginx, LIST);
  check(
    "a compressed response is stored separately",
    zipped.cache === "MISS" && zipped.headers["content-encoding"] === "gzip" && plain.body.equals(first.body),
  );
  const unchanged = await ask(nginx, LIST, { "if-none-match": first.headers.etag ?? "" });
  check("the cache returns 304", unchanged.status === 304 && unchanged.cache === "HIT", unchanged);
  const head = await ask(nginx, LIST, {}, "HEAD");
  check("HEAD hits the cache", head.status === 200 && head.cache === "HIT" && head.body.length === 0, head);

  const asClients = (...addresses: string[]) =>
    Promise.all(
      addresses.map(async (address) => {
        const { body, cache } = await ask(nginx, "/v1/geoIp/self", { "x-forwarded-for": address });
        return `${JSON.parse(body.toString()).ip} ${cache}`;
      }),
    );
  const selves = [
    ...(await asClients("8.8.8.8")),
    ...(await asClients("1.1.1.1")),
    ...(await asClients("8.8.8.8")),
  ];
  check(
    "each client gets the data of its own address",
    selves.join() === "8.8.8.8 MISS,1.1.1.1 MISS,8.8.8.8 MISS",
    selves,
  );
  for (const [path, status] of [
    ["/v1/geoIp?ip_address=8.8.8.8", 200],
    ["/v1/barcode?type=qr_code&data=x", 200],
    ["/v1/countries?country=XX", 404],
    ["/v1/countries?unknown=1", 400],
  ] as const) {
    check(`${path} is not stored`, areFresh(await twice(path), status));
  }

  await service.end("SIGTERM");
  const kept = await ask(nginx, LIST);
  check("hits do not need the service", kept.status === 200 && kept.cache === "HIT", kept);
});

const SHORT: Change = [
  "proxy_cache_revalidate on;",
  "proxy_cache_revalidate on; proxy_ignore_headers Cache-Control; proxy_cache_valid 200 1s;",
];
await behindNginx(SETTINGS, [SHORT], async (nginx) => {
  const first = await ask(nginx, LIST);
  await wait(2_100);
  const later = await ask(nginx, LIST);
  check(
    "an expired response is revalidated by its entity tag",
    later.cache === "REVALIDATED" && later.body.equals(first.body),
    later.cache,
  );
});

const KEY = "ut_cache-test";
const folder = mkdtempSync(join(tmpdir(), "utility-tools-cache-"));
const keys = join(folder, "keys");
writeFileSync(keys, `tester ${digestOf(KEY).toString("hex")}\n`);
await behindNginx({ ...SETTINGS, API_KEYS_FILE: keys }, [EVERYTHING], async (nginx) => {
  const withKey = [
    await ask(nginx, LIST, { "x-api-key": KEY }),
    await ask(nginx, LIST, { authorization: `Bearer ${KEY}` }),
  ];
  check("responses to clients with a key are not stored", areFresh(withKey, 200));
  check("a client without a key gets no stored response", areFresh([await ask(nginx, LIST)], 401));
});
rmSync(folder, { recursive: true });

await behindNginx({ ...SETTINGS, RATE_LIMIT: "10/1m" }, [EVERYTHING], async (nginx) => {
  const seen = [await ask(nginx, LIST), await ask(nginx, LIST)];
  const left = seen.map(({ headers }) => String(headers.ratelimit).split(";")[1]);
  check("the rate limit of a client is not stored", areFresh(seen, 200) && left.join() === "r=9,r=8", left);
});

await behindNginx({ TRUSTED_PROXIES: "127.0.0.1" }, [EVERYTHING], async (nginx) => {
  const seen = [await ask(nginx, LIST, { host: "a.example" }), await ask(nginx, LIST, { host: "b.example" })];
  const hosts = seen.map(({ body }) => JSON.parse(body.toString())[0].api_url.split("/")[2]);
  check(
    "responses with the host of a request are not stored",
    areFresh(seen, 200) && hosts.join() === "a.example,b.example",
    hosts,
  );
});
process.exit(checks.failures() === 0 ? 0 : 1);
