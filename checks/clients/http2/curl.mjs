import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../../lib/checks.mjs";
import { eachTransport, hasDebian, runAsync } from "../service.mjs";

/** The addresses of a batch, which make a request of about 17 kB. */
const ADDRESSES = Array.from({ length: 1_000 }, (_, number) => `8.8.${number >> 8}.${number & 255}`);

/** The largest `MAX_REQUEST_BYTES`. */
const MEGABYTE = 1024 * 1024;

/** Tries curl over HTTP/2, and over HTTP/1.1 on the same port. */
export async function tryCurl({ certificate, folder }) {
  if (!hasDebian("curl")) {
    return;
  }
  const megabyte = join(folder, "megabyte");
  writeFileSync(megabyte, JSON.stringify({ email: "Jane.Doe@GoogleMail.com" }).padEnd(MEGABYTE));
  const longer = join(folder, "longer");
  writeFileSync(longer, Buffer.alloc(MEGABYTE + 1, " "));
  const batch = join(folder, "batch.json");
  writeFileSync(batch, JSON.stringify({ ip_addresses: ADDRESSES }));

  const env = { MAX_REQUEST_BYTES: String(MEGABYTE) };
  const trial = async (transport, { url }, files) => {
    const http2 = files === undefined ? ["--http2-prior-knowledge"] : ["--http2", "--cacert", files.cert];
    const call = async (path, args = [], protocol = http2) => {
      const { status, stdout, stderr } = await runAsync("curl", [
        ...["-sS", "--max-time", "30", "-w", "\n%{http_version} %{http_code} %{size_upload}"],
        ...protocol,
        ...args,
        url + path,
      ]);
      const end = stdout.lastIndexOf("\n");
      return { status, body: stdout.slice(0, end), summary: stdout.slice(end + 1), stderr };
    };
    const report = (what, { status, body, summary, stderr }, holds) =>
      check(
        `curl, ${transport}: ${what}`,
        status === 0 && holds,
        `exit ${status} ${summary} ${body} ${stderr}`,
      );
    const json = ["-H", "content-type: application/json"];

    const get = await call("/v1/geoIp?ip_address=8.8.8.8");
    report("GET", get, get.summary.startsWith("2 200") && get.body.includes('"asn":15169'));

    const error = await call("/v1/geoIp?ip_address=nonsense");
    report(
      "an error",
      error,
      error.summary.startsWith("2 400") && error.body.includes('"INVALID_PARAMETERS"'),
    );

    const head = await call("/v1/geoIp?ip_address=8.8.8.8", ["--head"]);
    report("HEAD", head, head.summary.startsWith("2 200") && /^content-length: [1-9]/m.test(head.body));

    const post = await call("/v1/geoIp:batch", [...json, "--data-binary", `@${batch}`]);
    report("POST", post, post.summary.startsWith("2 200") && JSON.parse(post.body).results?.length === 1_000);

    const expecting = await call("/v1/geoIp:batch", [
      ...[...json, "-H", "expect: 100-continue", "--expect100-timeout", "20", "-v"],
      ...["--data-binary", `@${batch}`],
    ]);
    report(
      "POST with 100 Continue",
      expecting,
      expecting.summary.startsWith("2 200") && expecting.stderr.includes("HTTP/2 100"),
    );

    const upload = await call("/v1/sanitizeEmail", [...json, "--data-binary", `@${megabyte}`]);
    report("an upload of 1 MiB", upload, upload.summary === `2 200 ${MEGABYTE}`);

    const long = await call("/v1/sanitizeEmail", [...json, "--data-binary", `@${longer}`]);
    report("a longer upload is rejected", long, long.summary.startsWith("2 413"));

    const unsent = await call("/v1/sanitizeEmail", [
      ...[...json, "-H", "expect: 100-continue", "--expect100-timeout", "20"],
      ...["--data-binary", `@${longer}`],
    ]);
    report("a longer upload is rejected before it starts", unsent, unsent.summary === "2 413 0");

    if (files !== undefined) {
      // With prior knowledge, curl 7.88 fails as soon as it shares the connection, before it sends a second request.
      await tryParallel(`curl, ${transport}`, url, http2, folder);
    }

    const http1 = await call(
      "/v1/geoIp?ip_address=8.8.8.8",
      [],
      files === undefined ? ["--http1.1"] : ["--http1.1", "--cacert", files.cert],
    );
    report("HTTP/1.1", http1, http1.summary.startsWith("1.1 200") && http1.body.includes('"asn":15169'));

    const upgrade = await call("/v1/geoIp?ip_address=8.8.8.8", [], files === undefined ? ["--http2"] : http2);
    report(
      files === undefined ? "an upgrade to h2c is ignored" : "h2 by ALPN",
      upgrade,
      upgrade.summary.startsWith(files === undefined ? "1.1 200" : "2 200"),
    );
  };
  await eachTransport(certificate, trial, env);
}

async function tryParallel(name, url, http2, folder) {
  const config = join(folder, "parallel");
  const transfers = ADDRESSES.map((ip) => `url = "${url}/v1/geoIp?ip_address=${ip}"\noutput = /dev/null\n`);
  writeFileSync(config, transfers.join(""));
  const { stdout, stderr } = await runAsync("curl", [
    ...["-sS", "--parallel", "--parallel-max", "300", "-w", "%{http_version} %{http_code}\n", "-K", config],
    ...http2,
  ]);
  const right = stdout.split("\n").filter((line) => line === "2 200").length;
  const found = `${right} ${stderr.slice(0, 1_000)}`;
  check(`${name}: 1,000 transfers, 300 at once`, right === ADDRESSES.length, found);
}
