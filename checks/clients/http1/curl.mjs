import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check } from "../../lib/checks.mjs";
import { hasDebian, runAsync } from "../service.mjs";
import { BODY_TOO_LARGE } from "./cases.mjs";
import { EMAIL, EXPORT, EXPORTED, eachService, LIMIT, LOOKUP, NORMALIZED } from "./service.mjs";

const JSON_HEADER = ["-H", "content-type: application/json"];
const CHUNKED = ["-H", "transfer-encoding: chunked"];
const EXPECT = ["-H", "expect: 100-continue", "--expect100-timeout", "20"];
const HTTP10 = ["--http1.0"];
const KEEP_ALIVE = ["-H", "connection: keep-alive"];

/** Tries curl over HTTP/1.1 and HTTP/1.0, and with the service as its proxy. */
export async function tryCurl(context) {
  if (!hasDebian("curl")) {
    return;
  }
  const { folder, lookup } = context;
  const file = (name, text) => {
    writeFileSync(join(folder, name), text);
    return ["--data-binary", `@${join(folder, name)}`];
  };
  const email = [...JSON_HEADER, ...file("email", EMAIL)];
  const large = [...JSON_HEADER, ...file("large", EMAIL.padEnd(LIMIT))];
  const longer = [...JSON_HEADER, ...file("longer", EMAIL.padEnd(LIMIT + 1))];

  await eachService(context, async (transport, { url, target }, library, files) => {
    const certificate = files === undefined ? [] : ["--cacert", files.cert];
    /** Sends the same request one or more times. A summary has the status and the number of new connections. */
    const call = async (what, paths, args, expected) => {
      const urls = [paths].flat().map((path) => (path.startsWith("http") ? path : url + path));
      const { status, stdout, stderr } = await runAsync("curl", [
        ...["-sS", "--http1.1", "--max-time", "30", "-v"],
        ...["-w", "\n%{http_code} %{num_connects}\n", ...certificate, ...args],
        ...urls,
      ]);
      const hasHead = (pattern) => pattern.test(stderr.replaceAll("\r", ""));
      const { output, head = [], lacks } = expected;
      const holds = status === 0 && stdout === output && head.every(hasHead) && !(lacks && hasHead(lacks));
      check(`curl, ${transport}: ${what}`, holds, `exit ${status} ${stdout} ${stderr}`);
    };
    const all = (...responses) => responses.map(([body, summary]) => `${body}\n${summary}\n`).join("");
    const closes = /^< connection: close$/im;
    const keeps = /^< connection: keep-alive$/im;

    await call("two requests on one connection", [LOOKUP, LOOKUP], [], {
      output: all([lookup, "200 1"], [lookup, "200 0"]),
    });
    await call("Connection: close", [LOOKUP, LOOKUP], ["-H", "connection: close"], {
      output: all([lookup, "200 1"], [lookup, "200 1"]),
      head: [closes],
    });
    await call("HTTP/1.0", [LOOKUP, LOOKUP], HTTP10, {
      output: all([lookup, "200 1"], [lookup, "200 1"]),
      head: [/^> GET .* HTTP\/1\.0$/m, closes],
    });
    await call("HTTP/1.0 with keep-alive", [LOOKUP, LOOKUP], [...HTTP10, ...KEEP_ALIVE], {
      output: all([lookup, "200 1"], [lookup, "200 0"]),
      head: [keeps],
    });
    await call("HTTP/1.0 without Host", LOOKUP, [...HTTP10, "-H", "host:"], {
      output: all([lookup, "200 1"]),
    });
    await call("HTTP/1.0 POST", "/v1/sanitizeEmail", [...HTTP10, ...email], {
      output: all([NORMALIZED, "200 1"]),
      head: [closes],
    });
    await call("HEAD", LOOKUP, ["--head", "-o", "/dev/null"], {
      output: all(["", "200 1"]),
      head: [new RegExp(`^< content-length: ${lookup.length}$`, "im")],
    });
    await call("a chunked body", "/v1/sanitizeEmail", [...email, ...CHUNKED], {
      output: all([NORMALIZED, "200 1"]),
    });
    await call("a chunked body of 300 KiB", "/v1/sanitizeEmail", [...large, ...CHUNKED], {
      output: all([NORMALIZED, "200 1"]),
    });
    await call("Expect", "/v1/sanitizeEmail", [...large, ...EXPECT], {
      output: all([NORMALIZED, "200 1"]),
      head: [/^< HTTP\/1\.1 100 Continue$/m],
    });
    await call("Expect, chunked", "/v1/sanitizeEmail", [...large, ...CHUNKED, ...EXPECT], {
      output: all([NORMALIZED, "200 1"]),
      head: [/^< HTTP\/1\.1 100 Continue$/m],
    });
    await call(
      "Expect, too large",
      "/v1/sanitizeEmail",
      [...longer, ...EXPECT, "-w", "\n%{http_code} %{size_upload}\n"],
      {
        output: all([BODY_TOO_LARGE, "413 0"]),
      },
    );
    await call("a streamed response", library.url + EXPORT, [], {
      output: all([EXPORTED, "200 1"]),
      head: [/^< transfer-encoding: chunked$/im],
    });
    await call("a streamed response to HTTP/1.0", library.url + EXPORT, HTTP10, {
      output: all([EXPORTED, "200 1"]),
      head: [closes],
      lacks: /^< transfer-encoding/im,
    });
    await call("OPTIONS *", "/", ["-X", "OPTIONS", "--request-target", "*"], {
      output: all(["", "204 1"]),
      head: [/^< HTTP\/1\.1 204 No Content$/m, /^< allow: GET/im],
    });
    if (files === undefined) {
      const absolute = `http://tools.example${LOOKUP}`;
      await call("absolute-form", absolute, ["--proxy", target], {
        output: all([lookup, "200 1"]),
        head: [/^> GET http:\/\/tools\.example\/v1\/geoIp/m],
      });
      await call(
        "absolute-form over HTTP/1.0",
        absolute,
        ["--proxy", target, "--proxy1.0", target, ...HTTP10],
        {
          output: all([lookup, "200 1"]),
          head: [/^> GET http:\/\/tools\.example\/v1\/geoIp\S* HTTP\/1\.0$/m],
        },
      );
      const tunnel = [
        "-sS",
        "--max-time",
        "30",
        "--proxytunnel",
        "--proxy",
        target,
        "-w",
        "%{http_connect}",
        absolute,
      ];
      const { status, stdout } = await runAsync("curl", tunnel);
      check(`curl, ${transport}: CONNECT`, stdout === "501" && status === 56, `exit ${status} ${stdout}`);
    }
  });
}
