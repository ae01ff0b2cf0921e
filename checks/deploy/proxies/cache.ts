import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { digestOf } from "connect-transcoding-operations/access/api-keys";
import { checkEqual, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { type Change, startReplica, startShippedNginx } from "../shipped.js";
import { ask, type ProxyResponse } from "./requests.js";

// The cache of nginx is used for all paths, so that only the headers of the service decide what it stores.
const LIST = "/v1/countries";
const EVERYTHING: Change = ["location /v1/countries {", "location /v1/ {"];
const SHOW_STATUS: Change = [
  "proxy_cache utility_tools;",
  "proxy_cache utility_tools; add_header x-cache $upstream_cache_status always;",
];
const SHORT: Change = [
  "proxy_cache_revalidate on;",
  "proxy_cache_revalidate on; proxy_ignore_headers Cache-Control; proxy_cache_valid 200 1s;",
];
const KEY = "ut_cache-test";

type Get = (path: string, headers?: Readonly<Record<string, string>>) => Promise<ProxyResponse>;

/** Starts a service and nginx in front of it, runs the tests, and stops both. */
async function behindNginx(
  settings: Readonly<Record<string, string>>,
  change: Change,
  run: (get: Get, head: () => Promise<ProxyResponse>, stopService: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const service = await startReplica(0, settings);
  const nginx = await startShippedNginx([service.port, service.port], [SHOW_STATUS, change]);
  const get: Get = (path, headers = {}) => ask(nginx, path, { headers });
  await run(get, () => ask(nginx, LIST, { method: "HEAD" }), service.end);
  await nginx.stop();
  await service.end();
}

/** The status of a response and how nginx got it: HIT, MISS and so on. */
const of = ({ status, headers }: ProxyResponse): string => `${status} ${headers["x-cache"]}`;

/** Checks what nginx stores with deploy/nginx.conf. */
export async function checkCache(): Promise<void> {
  const base = { PUBLIC_BASE_URL: "https://tools.example" };
  await behindNginx(base, EVERYTHING, async (get, head, stopService) => {
    const first = await get(LIST);
    const second = await get(LIST);
    checkEqual("the second request hits the cache", [of(first), of(second)], ["200 MISS", "200 HIT"]);
    checkEqual("a hit has the same body", second.body === first.body, true);

    const zipped = await get(LIST, { "accept-encoding": "gzip" });
    const plain = await get(LIST);
    checkEqual(
      "a compressed response is stored separately",
      [of(zipped), zipped.headers["content-encoding"], plain.body === first.body],
      ["200 MISS", "gzip", true],
    );
    const unchanged = await get(LIST, { "if-none-match": String(first.headers.etag) });
    checkEqual("the cache returns 304", of(unchanged), "304 HIT");
    const headOnly = await head();
    checkEqual("HEAD hits the cache", [of(headOnly), headOnly.body], ["200 HIT", ""]);

    for (const address of ["8.8.8.8", "1.1.1.1", "8.8.8.8"]) {
      const self = await get("/v1/geoIp/self", { "x-forwarded-for": address });
      const found = [of(self), JSON.parse(self.body).ip];
      checkEqual(`${address} gets the data of its own address`, found, ["200 MISS", address]);
    }
    for (const [path, status] of [
      ["/v1/geoIp?ip_address=8.8.8.8", 200],
      ["/v1/barcode?type=qr_code&data=x", 200],
      ["/v1/countries?country=XX", 404],
      ["/v1/countries?unknown=1", 400],
    ] as const) {
      const twice = [of(await get(path)), of(await get(path))];
      checkEqual(`${path} is not stored`, twice, [`${status} MISS`, `${status} MISS`]);
    }
    await stopService();
    checkEqual("hits do not need the service", of(await get(LIST)), "200 HIT");
  });

  await behindNginx(base, SHORT, async (get) => {
    const first = await get(LIST);
    await wait(2_100);
    const later = await get(LIST);
    const isSame = later.body === first.body;
    checkEqual(
      "an expired response is revalidated by its entity tag",
      [of(later), isSame],
      ["200 REVALIDATED", true],
    );
  });

  const keys = join(temporaryFolder("cache"), "keys");
  writeFileSync(keys, `tester ${digestOf(KEY)}\n`);
  await behindNginx({ ...base, API_KEYS_FILE: keys }, EVERYTHING, async (get) => {
    const seen = [
      of(await get(LIST, { "x-api-key": KEY })),
      of(await get(LIST, { authorization: `Bearer ${KEY}` })),
      of(await get(LIST)),
    ];
    checkEqual("responses to clients with a key are not stored", seen, ["200 MISS", "200 MISS", "401 MISS"]);
  });

  await behindNginx({ ...base, RATE_LIMIT: "10/1m" }, EVERYTHING, async (get) => {
    const seen = [await get(LIST), await get(LIST)];
    const left = seen.map(
      (response) => `${of(response)} ${String(response.headers.ratelimit).split(";")[1]}`,
    );
    checkEqual("the rate limit of a client is not stored", left, ["200 MISS r=9", "200 MISS r=8"]);
  });

  await behindNginx({}, EVERYTHING, async (get) => {
    for (const host of ["a.example", "b.example"]) {
      const response = await get(LIST, { host });
      const found = [of(response), JSON.parse(response.body)[0].api_url.split("/")[2]];
      checkEqual(`a response with the host ${host} is not stored`, found, ["200 MISS", host]);
    }
  });
}
