import { once } from "node:events";
import { copyFileSync, renameSync } from "node:fs";
import { connect as connectHttp2, constants } from "node:http2";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { makeCertificate } from "../../lib/certificate.mjs";
import { check } from "../../lib/checks.mjs";
import { serve } from "../service.mjs";

const PATH = "/v1/geoIp?ip_address=8.8.8.8";
/** The largest ID of a stream, which the first GOAWAY of a shutdown names (RFC 9113, section 6.8). */
const MAX_STREAM_ID = 2 ** 31 - 1;
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const [HEADERS, SETTINGS, GOAWAY] = [1, 4, 7];
const END_HEADERS = 4;

/** Tries what differs over TLS: ALPN, the reload of the certificate, and the shutdown. */
export async function tryTls({ folder }) {
  const files = makeCertificate(folder, "first");
  const next = makeCertificate(folder, "second");
  const service = await serve(files);
  const { port } = new URL(service.url);

  for (const [offered, selected] of [
    [["h2", "http/1.1"], "h2"],
    [["http/1.1", "h2"], "h2"],
    [["h2"], "h2"],
    [["http/1.1"], "http/1.1"],
    [[], false],
  ]) {
    const { alpnProtocol, getProtocol } = await handshake(port, offered);
    const found = `${alpnProtocol} ${getProtocol}`;
    check(
      `ALPN of ${offered.join(", ") || "nothing"} is ${selected || "not used"}`,
      found === `${selected} TLSv1.3`,
      found,
    );
  }
  const refused = await handshake(port, ["h3"]).catch(({ code }) => code);
  check("ALPN of h3 fails", String(refused).includes("NO_APPLICATION_PROTOCOL"), refused);

  const session = connectHttp2(service.url, { rejectUnauthorized: false });
  check("a request before the certificate is replaced", await isRight(session));
  const watch = session.request({
    ":method": "POST",
    ":path": "/grpc.health.v1.Health/Watch",
    "content-type": "application/grpc",
    te: "trailers",
  });
  watch.end(Buffer.alloc(5));
  await once(watch, "data");

  for (const file of ["cert", "key"]) {
    copyFileSync(next[file], join(folder, "new"));
    renameSync(join(folder, "new"), files[file]);
  }
  const name = await untilReplaced(port);
  check("new connections get the new certificate", name === "second", name);
  check("an open connection continues", await isRight(session));
  check("an open stream continues", !watch.closed);

  await tryShutdown(service, session, watch);
}

function handshake(port, ALPNProtocols) {
  const socket = connectTls({ host: "127.0.0.1", port, ALPNProtocols, rejectUnauthorized: false });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      const { alpnProtocol } = socket;
      resolve({
        alpnProtocol,
        getProtocol: socket.getProtocol(),
        name: socket.getPeerCertificate().subject.CN,
      });
      socket.destroy();
    });
  });
}

/** Resolves to the name of the certificate once it is the second one, or after ten seconds. */
async function untilReplaced(port) {
  for (let tries = 0; ; tries++) {
    const { name } = await handshake(port, ["h2"]);
    if (name === "second" || tries === 100) {
      return name;
    }
    await wait(100);
  }
}

async function isRight(session) {
  const stream = session.request({ ":path": PATH });
  const [headers] = await once(stream, "response");
  return headers[":status"] === 200 && (await text(stream)).includes('"asn":15169');
}

/** Checks a shutdown: both GOAWAYs, and the responses to requests in progress. */
async function tryShutdown(service, session, watch) {
  session.on("error", () => {});
  const goaways = goawaysOf(new URL(service.url).port);
  // Node's client opens no streams after a GOAWAY, so these are opened earlier, and their bodies end later.
  const uploads = Array.from({ length: 20 }, () =>
    session.request({ ":method": "POST", ":path": "/v1/sanitizeEmail", "content-type": "application/json" }),
  );
  const responses = uploads.map((upload) => {
    upload.write('{"email":');
    return text(upload);
  });
  await new Promise((resolve) => session.ping(resolve));
  const ended = once(watch.resume(), "close");
  const stopped = service.stop();
  await once(session, "goaway");
  await wait(500);
  for (const upload of uploads) {
    upload.end('"Jane.Doe@GoogleMail.com"}');
  }
  const bodies = await Promise.all(responses);
  check(
    "requests in progress get responses during shutdown",
    bodies.every((body) => body.includes("janedoe@gmail.com")),
    bodies[0],
  );
  await ended;
  check("an open stream ends", watch.rstCode === constants.NGHTTP2_NO_ERROR, watch.rstCode);
  const code = await stopped;
  check("the service has shut down", code === 0, code);
  const found = (await goaways).join("\n");
  check("a shutdown sends two GOAWAYs", found === `${MAX_STREAM_ID} 0\n1 0`, found);
}

/**
 * Opens a connection with a stream, and waits until it closes. Resolves to the last stream ID
 * and the error code of each GOAWAY. Node's client reports the first only.
 */
function goawaysOf(port) {
  const socket = connectTls({ host: "127.0.0.1", port, ALPNProtocols: ["h2"], rejectUnauthorized: false });
  socket.once("secureConnect", () => {
    socket.write(PREFACE);
    socket.write(frame(SETTINGS, 0, 0));
    // HPACK (RFC 7541, appendix A): `:method: POST`, `:scheme: https`, `:path: /`, and `:authority: x`.
    socket.write(frame(HEADERS, END_HEADERS, 1, Buffer.from([0x83, 0x87, 0x84, 0x01, 0x01, 0x78])));
  });
  const chunks = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => {
      const bytes = Buffer.concat(chunks);
      const found = [];
      for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
        if (bytes[at + 3] === GOAWAY) {
          found.push(`${bytes.readUInt32BE(at + 9)} ${bytes.readUInt32BE(at + 13)}`);
        }
      }
      resolve(found);
    });
  });
}

/** A frame (RFC 9113, section 4.1). */
function frame(type, flags, streamId, payload = Buffer.alloc(0)) {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}
