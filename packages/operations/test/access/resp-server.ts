import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** The response of a {@link RespServer} to all commands but pings: the count, none, an error, or these bytes. */
export type RespMode = "count" | "silence" | { readonly error: string } | { readonly raw: string };

/** A minimal Redis server that counts. Keys do not expire; the remaining time is always one second. */
export interface RespServer {
  readonly port: number;
  mode: RespMode;
  /** The received commands, in upper case, with their arguments. */
  readonly commands: readonly (readonly string[])[];
  readonly connections: ReadonlySet<Socket>;
  /** Closes all connections and stops listening. */
  stop(): Promise<void>;
}

/** Starts a server on 127.0.0.1, on any free port by default. */
export async function startRespServer(port = 0, mode: RespMode = "count"): Promise<RespServer> {
  const counts = new Map<string, number>();
  const commands: string[][] = [];
  const connections = new Set<Socket>();

  function respond(command: readonly string[]): string {
    const [name = "", , , key = "", cost = ""] = command;
    if (name !== "PING" && typeof server.mode === "object") {
      return "error" in server.mode ? `-${server.mode.error}\r\n` : server.mode.raw;
    }
    if (server.mode === "silence") {
      return "";
    }
    if (name === "EVAL") {
      const count = (counts.get(key) ?? 0) + Number(cost);
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
        socket.write(respond(read.command));
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

/** Parses the first command, an array of bulk strings. Returns undefined if it is incomplete. */
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
