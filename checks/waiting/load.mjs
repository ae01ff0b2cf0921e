// Sends one request again and again on many connections, without waiting for the responses. Arguments: port, number of connections, and
// the file with the bytes. Runs until it is killed.
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [, , port, count, file] = process.argv;
const bytes = readFileSync(file);

function open() {
  const socket = connect({ port: Number(port), host: "127.0.0.1", noDelay: true });
  const pour = () => {
    while (!socket.destroyed && socket.write(bytes)) {}
  };
  socket
    .on("connect", pour)
    .on("drain", pour)
    .on("error", () => {})
    .on("close", () => setTimeout(open, 20));
  socket.resume();
}
for (let index = 0; index < Number(count); index++) {
  setTimeout(open, index / 2);
}
