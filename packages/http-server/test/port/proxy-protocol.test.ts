import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { TLS } from "connect-transcoding-testing/files.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readProxyHeader } from "../../src/port/proxy-protocol.js";
import { createHttpServer, type HttpServer } from "../../src/server.js";

/** A header of version 2: a command, a family, and addresses with ports and extensions in hexadecimal. */
function version2(command: number, family: number, content: string): Buffer {
  const length = (content.length / 2).toString(16).padStart(4, "0");
  const fixed = [command, family].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return Buffer.from(`0d0a0d0a000d0a515549540a${fixed}${length}${content}`, "hex");
}

const PORTS = "d43101bb";
const IPV4 = `c0000207cb007105${PORTS}`;
const IPV6 = `20010db8${"1".padStart(24, "0")}20010db8${"2".padStart(24, "0")}${PORTS}`;
const TEXT = "PROXY TCP4 192.0.2.7 203.0.113.5 54321 443\r\n";

describe("readProxyHeader", () => {
  test.each([
    ["version 1 over IPv4", Buffer.from(TEXT), "192.0.2.7"],
    ["version 1 over IPv6", Buffer.from("PROXY TCP6 2001:db8::1 2001:db8::2 1 443\r\n"), "2001:db8::1"],
    [
      "version 1 with the highest ports",
      Buffer.from("PROXY TCP4 192.0.2.7 192.0.2.8 65535 0\r\n"),
      "192.0.2.7",
    ],
    ["version 1 of an unknown protocol alone", Buffer.from("PROXY UNKNOWN\r\n"), undefined],
    ["version 1 of 107 bytes", Buffer.from(`PROXY UNKNOWN ${"f".repeat(91)}\r\n`), undefined],
    ["version 1 of an unknown protocol", Buffer.from("PROXY UNKNOWN ff 1\r\n"), undefined],
    ["version 2 over IPv4", version2(0x21, 0x11, IPV4), "192.0.2.7"],
    ["version 2 with extensions", version2(0x21, 0x11, `${IPV4}040003616263`), "192.0.2.7"],
    ["version 2 over IPv6", version2(0x21, 0x21, IPV6), "2001:db8:0:0:0:0:0:1"],
    // nginx #1609, go-proxyproto #167
    [
      "version 1 with a destination of another family",
      Buffer.from("PROXY TCP6 2001:db8::1 192.0.2.1 51512 22\r\n"),
      "2001:db8::1",
    ],
    // haproxy #2963, caddy-l4 #91
    [
      "version 1 with mapped IPv4",
      Buffer.from("PROXY TCP6 ::ffff:192.0.2.7 ::ffff:192.0.2.8 1 443\r\n"),
      "192.0.2.7",
    ],
    [
      "version 2 with mapped IPv4",
      version2(0x21, 0x21, `${"ffff".padStart(24, "0")}c0000207${"ffff".padStart(24, "0")}c0000208${PORTS}`),
      "192.0.2.7",
    ],
    ["version 2 of UDP", version2(0x21, 0x12, IPV4), undefined],
    ["version 2 of no protocol, with anything", version2(0x21, 0x00, "040003616263"), undefined],
    ["version 2 of the proxy itself with anything", version2(0x20, 0x99, "ff"), undefined],
    ["version 2 of the proxy itself", version2(0x20, 0x00, ""), undefined],
    ["version 2 of a Unix socket", version2(0x21, 0x31, "00".repeat(216)), undefined],
  ])("reads %s, and leaves the rest", (_, header, address) => {
    expect(readProxyHeader(Buffer.concat([header, Buffer.from("GET /")]))).toEqual({
      length: header.length,
      address,
    });
    for (let end = 0; end < header.length; end++) {
      expect(readProxyHeader(header.subarray(0, end))).toBe("incomplete");
    }
  });

  test.each<readonly [title: string, bytes: Buffer]>([
    ["a request", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["a handshake of TLS", Buffer.from([0x16, 3, 1])],
    ["an address of another family", Buffer.from("PROXY TCP4 2001:db8::1 2001:db8::2 1 443\r\n")],
    ["a name instead of an address", Buffer.from("PROXY TCP4 localhost 192.0.2.1 1 443\r\n")],
    ["too few words", Buffer.from("PROXY TCP4 192.0.2.7\r\n")],
    ["another protocol", Buffer.from("PROXY UDP4 192.0.2.7 192.0.2.8 1 443\r\n")],
    ["a line that is too long", Buffer.from(`PROXY TCP4 ${"1".repeat(200)}`)],
    ["a line of 108 bytes", Buffer.from(`PROXY UNKNOWN ${"f".repeat(92)}\r\n`)],
    ...[
      ["lower case", "proxy TCP4 192.0.2.7 192.0.2.8 1 443"],
      ["a protocol in lower case", "PROXY tcp4 192.0.2.7 192.0.2.8 1 443"],
      ["a port above 65535", "PROXY TCP4 192.0.2.7 192.0.2.8 70000 443"],
      ["a port with a leading zero", "PROXY TCP4 192.0.2.7 192.0.2.8 1 0443"],
      ["an empty port", "PROXY TCP4 192.0.2.7 192.0.2.8 1 "],
      ["a negative port", "PROXY TCP4 192.0.2.7 192.0.2.8 -1 443"],
      ["a third port", "PROXY TCP4 192.0.2.7 192.0.2.8 1 443 1"],
      ["two spaces", "PROXY TCP4  192.0.2.7 192.0.2.8 1 443"],
      ["a space at its end", "PROXY TCP4 192.0.2.7 192.0.2.8 1 443 "],
      ["a leading zero in an address", "PROXY TCP4 192.0.02.7 192.0.2.8 1 443"],
      ["a zone", "PROXY TCP6 fe80::1%eth0 2001:db8::2 1 443"],
      ["a zone of the destination", "PROXY TCP6 2001:db8::2 fe80::1%1 1 443"],
      ["IPv4 as IPv6", "PROXY TCP6 192.0.2.7 192.0.2.8 1 443"],
      ["IPv6 in brackets", "PROXY TCP6 [2001:db8::1] 2001:db8::2 1 443"],
    ].map(([what, line]) => [`version 1 with ${what}`, Buffer.from(`${line}\r\n`)] as const),
    ["another version", version2(0x31, 0x11, IPV4)],
    ["another command", version2(0x22, 0x11, IPV4)],
    ["addresses that are too short", version2(0x21, 0x11, "c0000207")],
    ["another family", version2(0x21, 0x41, IPV4)],
    ["another transport", version2(0x21, 0x13, IPV4)],
    ["addresses of a Unix socket that are too short", version2(0x21, 0x31, IPV4)],
    ["an extension that is too short", version2(0x21, 0x11, `${IPV4}0400046162`)],
    ["half of an extension", version2(0x21, 0x11, `${IPV4}0400`)],
    ["a length beyond the limit", version2(0x21, 0x11, "00".repeat(5_000)).subarray(0, 16)],
  ])("rejects %s", (_, bytes) => {
    expect(readProxyHeader(bytes)).toBe("invalid");
  });
});

describe("a server behind a proxy", () => {
  const [cert, key] = ["first-cert.pem", "first-key.pem"].map((name) => readFileSync(join(TLS, name)));
  const servers: HttpServer[] = [];
  let isProxy = true;
  let [plain, secure] = [0, 0];

  beforeAll(async () => {
    const options = {
      onRequest: (request: Parameters<Parameters<typeof createHttpServer>[0]["onRequest"]>[0]) =>
        void request.respond(200, [], request.connection.peerAddress),
      hasProxyHeader: (peer: string) => isProxy && peer === "127.0.0.1",
    };
    const pair = { cert: cert ?? Buffer.alloc(0), key: key ?? Buffer.alloc(0) };
    for (const tls of [undefined, { current: pair, onChange: () => {} }]) {
      const server = createHttpServer({ ...options, tls });
      servers.push(server);
      const { port } = await server.listen("127.0.0.1", 0);
      [plain, secure] = tls === undefined ? [port, secure] : [plain, port];
    }
  });
  afterAll(() => Promise.all(servers.map((server) => server.close(0))));

  const REQUEST = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
  async function send(...parts: (string | Buffer)[]): Promise<string> {
    const socket = connect({ port: plain, host: "127.0.0.1", noDelay: true });
    const closed = once(socket, "close");
    let text = "";
    socket
      .on("error", () => {})
      .on("data", (chunk) => {
        text += chunk;
      });
    for (const part of parts) {
      socket.write(part);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await closed;
    return text.split("\r\n\r\n")[1] ?? text;
  }

  test.each([
    ["with the request", [`${TEXT}${REQUEST}`]],
    ["in parts", [TEXT.slice(0, 3), TEXT.slice(3, 20), TEXT.slice(20), REQUEST]],
    ["of version 2", [version2(0x21, 0x11, IPV4), REQUEST]],
  ])("has the address of the client from a header %s", async (_, parts) => {
    expect(await send(...parts)).toBe("192.0.2.7");
  });

  test("has its own address for a connection of the proxy", async () => {
    expect(await send(version2(0x20, 0, ""), REQUEST)).toBe("127.0.0.1");
  });

  test("closes a connection without a header", async () => {
    expect(await send(REQUEST)).toBe("");
  });

  test("does not read a header of another peer", async () => {
    isProxy = false;
    expect(await send(TEXT + REQUEST)).not.toBe("192.0.2.7");
    expect(await send(REQUEST)).toBe("127.0.0.1");
    isProxy = true;
  });

  test("reads a header before the handshake of TLS", async () => {
    const tcp = connect(secure, "127.0.0.1");
    tcp.write(TEXT);
    const socket = connectTls({ socket: tcp, rejectUnauthorized: false });
    socket.write(REQUEST);
    let text = "";
    for await (const chunk of socket) {
      text += chunk;
    }
    expect(text.split("\r\n\r\n")[1]).toBe("192.0.2.7");
  });
});
