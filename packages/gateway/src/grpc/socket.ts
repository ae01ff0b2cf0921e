import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Certificates for TLS to upstreams, in PEM. */
export interface UpstreamTls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Starts to connect to the server of a URL: with TLS and ALPN if its scheme is `https:`. */
export function openSocket(url: string, tls: UpstreamTls): Socket {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "https:") {
    return connect({ host, port: Number(port || 80), noDelay: true });
  }
  const servername = isIP(host) === 0 ? host : "";
  const socket = connectTls({ ...tls, host, port: Number(port || 443), servername, ALPNProtocols: ["h2"] });
  socket.setNoDelay();
  socket.once("secureConnect", () => {
    if (socket.alpnProtocol !== "h2") {
      socket.destroy(new Error("the server does not offer HTTP/2"));
    }
  });
  return socket;
}
