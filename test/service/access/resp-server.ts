import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** How a {@link RespServer} answers all but pings: counts with the count, never, with this error, or with these octets. */
export type RespMode = "count" | "silence" | { readonly error: string } | { readonly raw: string };

/** As much of a Redis server as counting takes, without expiry: every count has a second to go. */
export interface RespServer {
  readonly port: number;
  mode: RespMode;
  /** The commands that came, in capitals, with their arguments. */
  readonly commands: readonly (readonly string[])[];
  /** Connections that are open. */
  readonly connections: ReadonlySet<Socket>;
  /** Ends the connections, and takes no more. */
  stop(): Promise<void>;
}

/** Starts a server at a port of 127.0.0.1; without one, at any that is free. */
export async function startRespServer(port = 0, mode: RespMode = "count"): Promise<RespServer> {
  const counts = new Map<string, number>();
  const commands: string[][] = [];
  const connections = new Set<Socket>();

  function answer(command: readonly string[]): string {
    const [name = "", , , key = ""] = command;
    if (name !== "PING" && typeof server.mode === "object") {
      return "error" in server.mode ? `-${server.mode.error}\r\n` : server.mode.raw;
    }
    if (server.mode === "silence") {
      return "";
    }
    if (name === "EVAL") {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return `*2\r\n:${count}\r\n:1000\r\n`;
    }
    return name === "PING" ? "+PONG\r\n" : "+OK\r\n";
  }

  const listener = createServer((socket) => {
    connections.add(socket);
    let received = "";
    socket.setEncoding("latin1");
    socket.on("error", () => {});
    socket.on("close", () => connections.delete(socket));
    socket.on("data", (chunk: string) => {
      received += chunk;
      for (let read = readCommand(received); read !== undefined; read = readCommand(received)) {
        received = received.slice(read.length);
        commands.push(read.command);
        socket.write(answer(read.command));
      }
    });
  });
  listener.listen(port, "127.0.0.1");
  await once(listener, "listening");
  const server: RespServer = {
    port: (listener.address() as AddressInfo).port,
    mode,
    commands,
    connections,
    stop: async () => {
      listener.close();
      for (const socket of connections) {
        socket.destroy();
      }
      await once(listener, "close");
    },
  };
  return server;
}

/** The first command of a text, once it is whole: an array of bulk strings. */
function readCommand(text: string): { readonly command: string[]; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) {
    return undefined;
  }
  const command: string[] = [];
  let at = head[0].length;
  for (let index = 0; index < Number(head[1]); index++) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    const start = at + (size?.[0].length ?? 0);
    at = start + Number(size?.[1]) + 2;
    if (size === null || at > text.length) {
      return undefined;
    }
    command.push(text.slice(start, at - 2));
  }
  return { command: [command[0]?.toUpperCase() ?? "", ...command.slice(1)], length: at };
}
