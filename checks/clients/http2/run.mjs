// `npm run check -- clients/http2`: tries programs that speak HTTP/2 against the built service, in cleartext and over TLS.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../../lib/certificate.mjs";
import { conclude } from "../../lib/checks.mjs";
import { tryCurl, tryNghttp } from "./commands.mjs";
import { tryGrpcJs } from "./grpc-clients.mjs";

const folder = mkdtempSync(join(tmpdir(), "utility-tools-clients-"));
const certificate = makeCertificate(folder);
for (const trial of [tryGrpcJs, tryCurl, tryNghttp]) {
  await trial(certificate, folder);
}
rmSync(folder, { recursive: true });
conclude();
