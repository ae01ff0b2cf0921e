import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasDebian, tryCommands } from "../service.mjs";
import { BODY_TOO_LARGE } from "./cases.mjs";
import { EMAIL, EXPORT, EXPORTED, eachService, LIMIT, LOOKUP, NORMALIZED } from "./service.mjs";

const CHUNKED = ["-H", "transfer-encoding: chunked"];
const EXPECT = ["-H", "expect: 100-continue", "--expect100-timeout", "20"];
const HTTP10 = ["--http1.0"];
const TWICE = [LOOKUP, LOOKUP];
const SANITIZE = ["/v1/sanitizeEmail"];
const ABSOLUTE = `http://tools.example${LOOKUP}`;

/** Tries curl over HTTP/1.1 and HTTP/1.0, and with the service as its proxy. */
export async function tryCurl(context) {
  if (!hasDebian("curl")) {
    return;
  }
  const { folder, lookup } = context;
  const json = (name, text) => {
    writeFileSync(join(folder, name), text);
    return ["-H", "content-type: application/json", "--data-binary", `@${join(folder, name)}`];
  };
  const email = json("email", EMAIL);
  const large = json("large", EMAIL.padEnd(LIMIT));
  const longer = json("longer", EMAIL.padEnd(LIMIT + 1));
  const closes = /^< connection: close$/im;
  const continues = /^< HTTP\/1\.1 100 Continue$/m;

  await eachService(context, async (transport, { url, target }, library, files) => {
    const certificate = files === undefined ? [] : ["--cacert", files.cert];
    /** Sends the same request one or more times. A summary has the status and the number of new connections. */
    const curl = (paths, ...args) => [
      ...["curl", "-sS", "--http1.1", "--max-time", "30", "-v", "-w", "\n%{http_code} %{num_connects}\n"],
      ...[...certificate, ...args.flat(), ...paths.map((path) => new URL(path, url).href)],
    ];
    const all = (body, ...summaries) => summaries.map((summary) => `${body}\n${summary}\n`).join("");
    const proxied = [
      [
        "absolute-form",
        curl([ABSOLUTE], "--proxy", target),
        all(lookup, "200 1"),
        /^> GET http:\/\/tools\./m,
      ],
      [
        "absolute-form over HTTP/1.0",
        curl([ABSOLUTE], "--proxy", target, "--proxy1.0", target, HTTP10),
        all(lookup, "200 1"),
        /^> GET http:\/\/tools\.example\/v1\/geoIp\S* HTTP\/1\.0$/m,
      ],
      [
        "CONNECT",
        ["curl", "-sS", "--proxytunnel", "--proxy", target, "-w", "%{http_connect}", ABSOLUTE],
        "501",
        56,
      ],
    ];
    await tryCommands(`curl, ${transport}`, [
      ["two requests on one connection", curl(TWICE), all(lookup, "200 1", "200 0")],
      ["Connection: close", curl(TWICE, "-H", "connection: close"), all(lookup, "200 1", "200 1"), closes],
      ["HTTP/1.0", curl(TWICE, HTTP10), all(lookup, "200 1", "200 1"), ...[/^> GET .* HTTP\/1\.0$/m, closes]],
      [
        "HTTP/1.0 with keep-alive",
        curl(TWICE, HTTP10, "-H", "connection: keep-alive"),
        all(lookup, "200 1", "200 0"),
        /^< connection: keep-alive$/im,
      ],
      ["HTTP/1.0 without Host", curl([LOOKUP], HTTP10, "-H", "host:"), all(lookup, "200 1")],
      ["HTTP/1.0 POST", curl(SANITIZE, HTTP10, email), all(NORMALIZED, "200 1"), closes],
      [
        "HEAD",
        curl([LOOKUP], "--head", "-o", "/dev/null"),
        all("", "200 1"),
        new RegExp(`^< content-length: ${lookup.length}$`, "im"),
      ],
      ["a chunked body", curl(SANITIZE, email, CHUNKED), all(NORMALIZED, "200 1")],
      ["a chunked body of 300 KiB", curl(SANITIZE, large, CHUNKED), all(NORMALIZED, "200 1")],
      ["Expect", curl(SANITIZE, large, EXPECT), all(NORMALIZED, "200 1"), continues],
      ["Expect, chunked", curl(SANITIZE, large, CHUNKED, EXPECT), all(NORMALIZED, "200 1"), continues],
      [
        "Expect, too large",
        curl(SANITIZE, longer, EXPECT, "-w", "\n%{http_code} %{size_upload}\n"),
        all(BODY_TOO_LARGE, "413 0"),
      ],
      [
        "a streamed response",
        curl([library.url + EXPORT]),
        all(EXPORTED, "200 1"),
        /^< transfer-encoding: chunked$/im,
      ],
      [
        "a streamed response to HTTP/1.0",
        curl([library.url + EXPORT], HTTP10),
        all(EXPORTED, "200 1"),
        ...[closes, /^(?![\s\S]*^< transfer-encoding)/im],
      ],
      [
        "OPTIONS *",
        curl(["/"], "-X", "OPTIONS", "--request-target", "*"),
        all("", "204 1"),
        ...[/^< HTTP\/1\.1 204 No Content$/m, /^< allow: GET/im],
      ],
      ...(files === undefined ? proxied : []),
    ]);
  });
}
