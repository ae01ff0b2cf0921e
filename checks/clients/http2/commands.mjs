import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, run } from "connect-transcoding-testing/checks.mjs";
import { eachTransport } from "./service.mjs";

const LOOKUP = "/v1/geoIp?ip_address=8.8.8.8";
/** The addresses of a batch, which make a request of about 17 kB. */
const ADDRESSES = Array.from({ length: 1_000 }, (_, number) => `8.8.${number >> 8}.${number & 255}`);
/** The largest `MAX_REQUEST_BYTES`. */
const MEGABYTE = 1024 * 1024;
const CHUNKED = ["-H", "transfer-encoding: chunked"];
const NORMALIZED = /janedoe@gmail\.com/;
const EXPECT = ["-H", "expect: 100-continue", "--expect100-timeout", "20"];

/**
 * Runs commands, which must succeed. A row has what is tried, the command, and what must hold: a text is the standard output; a pattern
 * matches what is printed on both outputs; a function is true of the standard output.
 */
function tryCommands(name, rows) {
  for (const [what, [program, ...args], ...expected] of rows) {
    const { status, stdout, stderr } = run(program, args);
    const printed = `${stdout}\n${stderr}`.replaceAll("\r", "");
    const holds = (each) =>
      each instanceof RegExp
        ? each.test(printed)
        : typeof each === "function"
          ? each(stdout)
          : stdout === each;
    check(`${name}: ${what}`, status === 0 && expected.every(holds), `exit ${status} ${printed}`);
  }
}

/** Tries curl over HTTP/2, and over HTTP/1.x on the same port. */
export async function tryCurl(certificate, folder) {
  const json = (name, content) => {
    writeFileSync(join(folder, name), content);
    return ["-H", "content-type: application/json", "--data-binary", `@${join(folder, name)}`];
  };
  const megabyte = json("megabyte", JSON.stringify({ email: "Jane.Doe@GoogleMail.com" }).padEnd(MEGABYTE));
  const longer = json("longer", Buffer.alloc(MEGABYTE + 1, " "));
  const batch = json("batch", JSON.stringify({ ip_addresses: ADDRESSES }));
  const config = join(folder, "parallel");

  const trial = (transport, { url, target }, files) => {
    const isTls = files !== undefined;
    const ca = isTls ? ["--cacert", files.cert] : [];
    const http1 = ["--http1.1", ...ca];
    const http2 = isTls ? ["--http2", ...ca] : ["--http2-prior-knowledge"];
    const curl = (path, args = [], protocol = http2) => [
      ...["curl", "-sS", "--max-time", "30", "-w", "\n%{http_version} %{http_code} %{size_upload}"],
      ...[...protocol, ...args, url + path],
    ];
    const found = /"asn":15169.*\n2 200 /;
    const isBatch = (body) => JSON.parse(body.slice(0, body.lastIndexOf("\n"))).results.length === 1_000;
    const transfers = ADDRESSES.map((ip) => `url = "${url}/v1/geoIp?ip_address=${ip}"\noutput = /dev/null\n`);
    writeFileSync(config, transfers.join(""));
    const parallel = [
      "1,000 transfers, 300 at once",
      [
        ...["curl", "-sS", "--parallel", "--parallel-max", "300", "-w", "%{http_version} %{http_code}\n"],
        ...["-K", config, ...http2],
      ],
      "2 200\n".repeat(1_000),
    ];
    tryCommands(`curl, ${transport}`, [
      ["GET", curl(LOOKUP), found],
      ["an error", curl("/v1/geoIp?ip_address=nonsense"), /"INVALID_PARAMETERS".*\n2 400 /],
      ["HEAD", curl(LOOKUP, ["--head"]), /^content-length: [1-9][\s\S]*\n2 200 /m],
      ["POST", curl("/v1/geoIp:batch", batch), /\n2 200 /, isBatch],
      [
        "POST with 100 Continue",
        curl("/v1/geoIp:batch", [...batch, ...EXPECT, "-v"]),
        ...[/\n2 200 /, /HTTP\/2 100/],
      ],
      ["an upload of 1 MiB", curl("/v1/sanitizeEmail", megabyte), new RegExp(`\n2 200 ${MEGABYTE}\n`)],
      ["a longer upload is rejected", curl("/v1/sanitizeEmail", longer), /\n2 413 /],
      [
        "a longer upload is rejected before it starts",
        curl("/v1/sanitizeEmail", [...longer, ...EXPECT]),
        /\n2 413 0\n/,
      ],
      // With prior knowledge, curl 7.88 fails as soon as it shares the connection, before it sends a second request.
      ...(isTls ? [parallel] : []),
      ["HTTP/1.1", curl(LOOKUP, [], http1), /"asn":15169.*\n1\.1 200 /],
      [
        "HTTP/1.1, two requests on one connection",
        curl(LOOKUP, [url + LOOKUP, "-w", "\n%{num_connects} new\n"], http1),
        /\n1 new\n.*"asn":15169.*\n0 new\n/,
      ],
      [
        "HTTP/1.0",
        curl(LOOKUP, ["-v"], ["--http1.0", ...ca]),
        /"asn":15169/,
        ...[/^> GET .* HTTP\/1\.0$/m, /^< connection: close$/im],
      ],
      ["HTTP/1.1, a chunked body", curl("/v1/sanitizeEmail", [...megabyte, ...CHUNKED], http1), NORMALIZED],
      [
        "HTTP/1.1, a chunked body with 100 Continue",
        curl("/v1/sanitizeEmail", [...megabyte, ...CHUNKED, ...EXPECT, "-v"], http1),
        ...[NORMALIZED, /^< HTTP\/1\.1 100 Continue$/m],
      ],
      [
        "HTTP/1.1, a longer upload is rejected before it starts",
        curl("/v1/sanitizeEmail", [...longer, ...EXPECT], http1),
        /\n1\.1 413 0\n/,
      ],
      ...(isTls
        ? []
        : [["absolute-form", curl(LOOKUP, ["--proxy", target], http1), /"asn":15169.*\n1\.1 200 /]]),
      isTls
        ? ["h2 by ALPN", curl(LOOKUP), found]
        : ["an upgrade to h2c is ignored", curl(LOOKUP, [], ["--http2"]), /\n1\.1 200 /],
    ]);
  };
  await eachTransport(certificate, trial, { MAX_REQUEST_BYTES: String(MEGABYTE) });
}

/** Tries nghttp and h2load. */
export async function tryNghttp(certificate, folder) {
  const email = join(folder, "email.json");
  writeFileSync(email, JSON.stringify({ email: "Jane.Doe+news@GoogleMail.com" }));
  const all =
    /requests: 10000 total, 10000 started, 10000 done, 10000 succeeded, 0 failed, 0 errored, 0 timeout/;

  const trial = (transport, { url }) => {
    const nghttp = (...args) => ["nghttp", "--no-verify-peer", ...args];
    const h2load = (...args) => ["h2load", "-n", "10000", "-c", "20", ...args, url + LOOKUP];
    tryCommands(`nghttp, ${transport}`, [
      ["GET", nghttp("-v", url + LOOKUP), /:status: 200/, /"asn":15169/],
      [
        "settings",
        nghttp("-v", url + LOOKUP),
        /SETTINGS_MAX_CONCURRENT_STREAMS\(0x03\):256/,
        /SETTINGS_MAX_HEADER_LIST_SIZE\(0x06\):65536/,
      ],
      // A window of 1 kB for streams and for the connection, padding, and continuations of the header section.
      [
        "small windows, padding, continuations",
        nghttp(
          ...["-n", "-s", "-w", "10", "-W", "10", "-b", "100", "--continuation", "-m", "50", "-t", "60"],
          `${url}/openapi.json`,
        ),
        (stdout) => stdout.match(/ 200 +\d+K? \/openapi\.json/g)?.length === 50,
      ],
      [
        "POST",
        nghttp(
          ...["-H", "content-type: application/json", "-d", email, "--expect-continue"],
          ...["-H", "trailers: none", `${url}/v1/sanitizeEmail`],
        ),
        /janedoe@gmail\.com/,
      ],
    ]);
    tryCommands(`h2load, ${transport}: 10,000 requests on 20 connections`, [
      ["HTTP/2, 50 at once on each", h2load("-m", "50"), all, /\b10000 2xx/],
      // Over TLS, node:http fails once pipelined responses exceed 16 kB.
      ["HTTP/1.1, 20 at once on each", h2load("-m", "20", "--h1"), all, /\b10000 2xx/],
    ]);
  };
  // nghttp's --continuation sends 24 kB of headers.
  await eachTransport(certificate, trial, { MAX_HEADER_BYTES: "65536" });
}
