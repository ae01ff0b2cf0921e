import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../../lib/checks.mjs";
import { eachTransport, hasDebian, runAsync } from "../service.mjs";

const PATH = "/v1/geoIp?ip_address=8.8.8.8";

/** Tries nghttp and h2load. */
export async function tryNghttp({ certificate, folder }) {
  if (!hasDebian("nghttp", "nghttp2-client")) {
    return;
  }
  const email = join(folder, "email.json");
  writeFileSync(email, JSON.stringify({ email: "Jane.Doe+news@GoogleMail.com" }));

  // nghttp's --continuation sends 24 kB of headers.
  const env = { MAX_HEADER_BYTES: "65536" };
  const trial = async (transport, { url }) => {
    const get = await runAsync("nghttp", ["-v", "--no-verify-peer", url + PATH]);
    const settings = [
      "SETTINGS_MAX_CONCURRENT_STREAMS(0x03):256",
      "SETTINGS_MAX_HEADER_LIST_SIZE(0x06):65536",
    ];
    check(
      `nghttp, ${transport}: GET`,
      get.stdout.includes(":status: 200") && get.stdout.includes('"asn":15169'),
      get.stdout + get.stderr,
    );
    check(
      `nghttp, ${transport}: settings`,
      settings.every((each) => get.stdout.includes(each)),
      get.stdout,
    );

    // A window of 1 kB for streams and for the connection, padding, and continuations of the header section.
    const long = await runAsync("nghttp", [
      ...["-n", "-s", "--no-verify-peer", "-w", "10", "-W", "10", "-b", "100", "--continuation"],
      ...["-m", "50", "-t", "60", `${url}/openapi.json`],
    ]);
    const finished = long.stdout.match(/ 200 +\d+K? \/openapi\.json/g)?.length;
    check(`nghttp, ${transport}: small windows, padding, continuations`, finished === 50, long.stdout);

    const post = await runAsync("nghttp", [
      ...["--no-verify-peer", "-H", "content-type: application/json", "-d", email],
      ...["--expect-continue", "-H", "trailers: none", `${url}/v1/sanitizeEmail`],
    ]);
    check(`nghttp, ${transport}: POST`, post.stdout.includes("janedoe@gmail.com"), post.stdout + post.stderr);

    // Over TLS, node:http fails once pipelined responses exceed 16 kB.
    for (const [name, options] of [
      ["HTTP/2", ["-m", "50"]],
      ["HTTP/1.1", ["-m", "20", "--h1"]],
    ]) {
      const load = await runAsync("h2load", ["-n", "10000", "-c", "20", ...options, url + PATH]);
      const all = "10000 total, 10000 started, 10000 done, 10000 succeeded, 0 failed, 0 errored, 0 timeout";
      const isRight = load.stdout.includes(`requests: ${all}`) && load.stdout.includes("10000 2xx");
      check(
        `h2load, ${transport}: 10,000 requests over ${name} on 20 connections, ${options[1]} at once on each`,
        isRight,
        load.stdout,
      );
    }
  };
  await eachTransport(certificate, trial, env);
}
