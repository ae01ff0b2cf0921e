import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../free-port.js";
import { ROOT, resetPriority } from "../service-process.js";

/** A running nginx with the shipped configuration. */
export interface Nginx {
  /** With https and without a final slash. */
  readonly url: string;
  /** The trusted certificate. */
  readonly ca: string;
  /** The contents of its logs. */
  accessLog(): string;
  errorLog(): string;
  stop(): Promise<void>;
}

/** Returns the Debian packages that are not installed. */
export function missingPackages(): string[] {
  return ["nginx", "openssl"].filter((name) => {
    const found = spawnSync(name, [name === "nginx" ? "-v" : "version"], { stdio: "ignore", env: WITH_SBIN });
    return found.error !== undefined;
  });
}

const WITH_SBIN = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/**
 * Starts nginx in front of two replicas. Only paths, ports and listen addresses differ from the shipped configuration.
 */
export async function startNginx(replicas: readonly [number, number]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-nginx-"));
  const at = (name: string): string => join(folder, name);
  const port = await freePort();
  const certificate = at("tls.pem");
  execFileSync(
    "openssl",
    [
      ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=tools.example".split(
        " ",
      ),
      ...["-addext", "subjectAltName=IP:127.0.0.1,DNS:tools.example"],
      ...["-keyout", at("tls.key"), "-out", certificate],
    ],
    { stdio: "ignore" },
  );
  const shipped = readFileSync(join(ROOT, "deploy", "nginx.conf"), "utf8");
  const changes: readonly (readonly [string, string])[] = [
    ["127.0.0.1:8081 ", `127.0.0.1:${replicas[0]} `],
    ["127.0.0.1:8082 ", `127.0.0.1:${replicas[1]} `],
    ["    listen 443 ssl", `    listen 127.0.0.1:${port} ssl`],
    ["    listen [::]:443 ssl http2;\n", ""],
    ["/etc/nginx/tls/tools.example.pem", certificate],
    ["/etc/nginx/tls/tools.example.key", at("tls.key")],
    ["/var/log/nginx/", `${folder}/`],
  ];
  writeFileSync(at("site.conf"), changes.reduce(replaced, shipped));
  mkdirSync(at("temp"));
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${at("temp")};`,
  );
  writeFileSync(
    at("nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""}
    daemon off; worker_processes 1; pid ${at("pid")}; error_log ${at("main-error.log")};
    events { worker_connections 16384; }
    http { ${temp.join(" ")} include ${at("site.conf")}; }`,
  );
  const child = spawn("nginx", ["-c", at("nginx.conf"), "-p", folder, "-e", at("main-error.log")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: WITH_SBIN,
  });
  resetPriority(child.pid);
  const exit = once(child, "exit");
  await Promise.race([
    untilListening(port),
    exit.then(() => {
      throw new Error(`nginx did not start: ${readFileSync(at("main-error.log"), "utf8")}`);
    }),
  ]);
  return {
    url: `https://127.0.0.1:${port}`,
    ca: readFileSync(certificate, "utf8"),
    accessLog: () => readFileSync(at("utility-tools.log"), "utf8"),
    errorLog: () => readFileSync(at("utility-tools-error.log"), "utf8"),
    stop: async () => {
      child.kill("SIGTERM");
      await exit;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Replaces a string. Throws an Error if the text does not contain it. */
function replaced(text: string, [old, by]: readonly [string, string]): string {
  if (!text.includes(old)) {
    throw new Error(`deploy/nginx.conf has no ${JSON.stringify(old)}`);
  }
  return text.replaceAll(old, by);
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const connected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
