import { freePort } from "../../../test/ports.js";
import { createChecks } from "../checks.js";
import { checkFailover, checkForwarding, checkLogs, checkProtocols, PROXIED } from "../proxy-checks.js";
import { endServices, startService } from "../service-process.js";
import { missingPackages, startNginx } from "./nginx.js";

// Runs nginx with deploy/nginx.conf in front of two replicas, and tests every protocol.
const missing = missingPackages();
if (missing.length > 0) {
  console.error(`Debian's ${missing.join(" and ")} must be installed`);
  process.exit(1);
}
process.on("exit", endServices);

const checks = createChecks();
const ports: [number, number] = [await freePort(), await freePort()];
const replicas = await Promise.all(ports.map((port) => startService({ ...PROXIED, PORT: String(port) })));
const nginx = await startNginx(ports);
await checkProtocols(nginx, checks);
await checkForwarding(nginx, replicas, checks);
await checkFailover(nginx, replicas, 502, checks);
checkLogs(await nginx.stop(), checks);
process.exit(checks.failures() === 0 ? 0 : 1);
