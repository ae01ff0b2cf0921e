import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** Returns a port of 127.0.0.1 that is currently free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Resolves when a port of 127.0.0.1 accepts connections. Rejects with an Error if the program ends before that.
 *
 * @param exit resolves when the program ends
 * @param log returns what the error message adds
 */
export async function untilListening(
  port: number,
  exit: Promise<unknown>,
  log: () => string = () => "",
): Promise<void> {
  let hasEnded = false;
  void exit.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const socket = connect(port, "127.0.0.1");
    const isListening = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) {
      return;
    }
    await wait(20);
  }
  throw new Error(`nothing listens on port ${port}: the program has ended. ${log()}`);
}
