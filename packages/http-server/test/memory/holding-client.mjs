// For each message: opens connections, sends the same bytes on each, and keeps them open until the next message.
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";

const sockets = [];

process.on("message", async ({ port, connections, parts, alpn }) => {
  for (const socket of sockets.splice(0)) {
    socket.destroy();
  }
  for (let count = 0; count < connections; count++) {
    const socket =
      alpn === undefined
        ? connect({ port, host: "127.0.0.1" })
        : connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: [alpn] });
    sockets.push(socket);
    socket.on("error", () => {});
    // A client that does not read leaves its responses in the server.
    socket.pause();
    await new Promise((resolve) => socket.once(alpn === undefined ? "connect" : "secureConnect", resolve));
    for (const part of parts) {
      await new Promise((resolve) => socket.write(Buffer.from(part, "latin1"), resolve));
    }
  }
  process.send("done");
});
process.once("disconnect", () => process.exit());
