import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { systemErrorText } from "connect-transcoding-operations/failures/system-error";
import { isInBlocks } from "connect-transcoding-operations/settings/addresses";
import { formatAuthority } from "../config/addresses.js";
import type { Config } from "../config/config.js";
import { type Environment, readConfig, type SettingFlags } from "../config/read-config.js";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";

/** What a health check found, in one line. */
export interface HealthReport {
  readonly status: ExitStatus;
  readonly text: string;
}

/** The status if the service is not ready. Docker allows no other than 0 and 1 for health checks. */
const UNHEALTHY = EXIT.invalidInput;

/** Milliseconds in which the service must respond. Container runtimes allow some seconds. */
const TIMEOUT = 2_000;

/** A response has the names of services, and a foreign server may send any number of bytes. */
const MAX_TEXT = 1_000;

/**
 * Returns the flags of settings in a command line as /proc has it, where each argument is followed by NUL. Empty for the command line of
 * another program.
 *
 * @param program the path of the program, or the end of it
 */
export function settingFlagsOf(commandLine: string, program: string): SettingFlags {
  const words = commandLine.split("\0");
  const start = words.findIndex((word) => word !== "" && program.endsWith(word)) + 1;
  const flags = new Map<string, string>();
  for (const [index, word] of start === 0 ? [] : words.slice(start).entries()) {
    const [name = "", value] = word.split(/=(.*)/s);
    if (name.startsWith("--")) {
      flags.set(name, value ?? words[start + index + 1] ?? "");
    }
  }
  return flags;
}

/** Returns the flags of the service if it is process 1, as in a container. A health check does not get them in another way. */
export async function flagsOfProcess1(program: string): Promise<SettingFlags> {
  const commandLine = await readFile("/proc/1/cmdline", "utf8").catch(() => "");
  return settingFlagsOf(commandLine, program);
}

/**
 * Asks the service with the same settings whether it is ready. Loads neither the tools nor the fetch of Node, because container
 * runtimes start it every few seconds.
 */
export async function checkHealth(env: Environment, flags?: SettingFlags): Promise<HealthReport> {
  const config = readConfig(env, flags);
  if (!config.ok) {
    return { status: EXIT.config, text: config.failure.description };
  }
  if (config.value.port === 0) {
    return { status: EXIT.config, text: "PORT is 0, so that the port of the service is unknown" };
  }
  return ask(config.value);
}

/** A header of the PROXY protocol, version 1, for a connection without another client. */
const PROXY_HEADER = "PROXY UNKNOWN\r\n";

function ask(config: Config): Promise<HealthReport> {
  const { port, tlsCertFile } = config;
  const isTls = tlsCertFile !== undefined;
  const host = addressOf(config.host);
  const url = `${isTls ? "https" : "http"}://${formatAuthority(host, port)}/readyz`;
  return new Promise((resolve) => {
    const unhealthy = (problem: string): void => resolve({ status: UNHEALTHY, text: `${url} ${problem}` });
    const onError = (error: Error): void => unhealthy(`cannot be reached (${systemErrorText(error)})`);
    const socket = connect(port, host);
    socket.on("error", onError);
    socket.once("connect", () => {
      // On the same machine, this is the address of the peer for the service.
      const { localAddress = "" } = socket;
      if (config.proxyProtocol === "required" && isInBlocks(config.trustedProxies, localAddress)) {
        socket.write(PROXY_HEADER);
      }
      // An import reads all exports of a module, and those of node:http load the fetch of Node, which takes longer than the check.
      const { get } = process.getBuiltinModule("node:http");
      const createConnection = () => (isTls ? startTls(socket) : socket);
      const request = get({ host, port, path: "/readyz", createConnection }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text = `${text}${chunk}`.slice(0, MAX_TEXT);
        });
        response.on("error", (error) => unhealthy(`failed (${systemErrorText(error)})`));
        response.on("end", () =>
          response.statusCode === 200
            ? resolve({ status: EXIT.ok, text: "ready" })
            : unhealthy(`responded ${response.statusCode}: ${text}`),
        );
      });
      request.on("error", onError);
    });
    setTimeout(() => {
      unhealthy(`did not respond within ${TIMEOUT} ms`);
      socket.destroy();
    }, TIMEOUT).unref();
  });
}

/** Starts TLS on a connection. The certificate is not for the address of the machine itself, and no secret is sent. */
function startTls(socket: Socket): Socket {
  return process.getBuiltinModule("node:tls").connect({ socket, rejectUnauthorized: false });
}

/** Returns the address at which a service that listens on `host` can be reached from the same machine. */
function addressOf(host: string): string {
  if (host === "0.0.0.0") {
    return "127.0.0.1";
  }
  return host === "::" ? "::1" : host;
}
