import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, untilListening } from "../../../test/ports.js";
import { adaptedFile, createCertificate, hasOpenssl, type ReverseProxy, stopOnExit } from "../proxy.js";
import { resetPriority } from "../service-process.js";

const WITH_SBIN = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

/** Returns the Debian packages that are not installed. */
export function missingPackages(): string[] {
  const { error } = spawnSync("nginx", ["-v"], { stdio: "ignore", env: WITH_SBIN });
  return [...(error === undefined ? [] : ["nginx"]), ...(hasOpenssl() ? [] : ["openssl"])];
}

/**
 * Starts nginx in front of two replicas. Only paths, ports and listen addresses differ from the shipped configuration, besides
 * `further` replacements.
 */
export async function startNginx(
  replicas: readonly [number, number],
  further: readonly (readonly [old: string, by: string])[] = [],
): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-nginx-"));
  const at = (name: string): string => join(folder, name);
  const port = await freePort();
  createCertificate(at("tls.pem"), at("tls.key"));
  const site = adaptedFile("nginx.conf", [
    ["127.0.0.1:8081 ", `127.0.0.1:${replicas[0]} `],
    ["127.0.0.1:8082 ", `127.0.0.1:${replicas[1]} `],
    ["    listen 443 ssl", `    listen 127.0.0.1:${port} ssl`],
    ["    listen [::]:443 ssl http2;\n", ""],
    ["/etc/nginx/tls/tools.example.pem", at("tls.pem")],
    ["/etc/nginx/tls/tools.example.key", at("tls.key")],
    ["/var/log/nginx/", `${folder}/`],
    ["/var/cache/utility-tools", at("cache")],
    ...further,
  ]);
  writeFileSync(at("site.conf"), site);
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
  stopOnExit(child);
  resetPriority(child.pid);
  const exit = once(child, "exit");
  await untilListening(port, exit, () => readFileSync(at("main-error.log"), "utf8"));
  return {
    name: "nginx",
    url: `https://127.0.0.1:${port}`,
    ca: readFileSync(at("tls.pem"), "utf8"),
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await exit;
      const access = readFileSync(at("utility-tools.log"), "utf8");
      const error = readFileSync(at("utility-tools-error.log"), "utf8");
      rmSync(folder, { recursive: true });
      return { access, error };
    },
  };
}
