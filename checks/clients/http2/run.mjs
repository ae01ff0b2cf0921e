// `npm run check -- clients/http2 [NAME …]`: tries programs that speak HTTP/2 against the built service, in cleartext and over TLS.
// Without names, all of them. Programs that are not installed are reported and skipped; see docs/reference/conformance.md.
import { mustRun } from "../../lib/checks.mjs";
import { ROOT } from "../programs.mjs";
import { runTrials } from "../service.mjs";
import { tryCurl, tryGrpcurl, tryNghttp } from "./commands.mjs";
import { tryGrpcClients } from "./grpc-clients.mjs";
import { tryEnvoy, tryNginx } from "./proxies.mjs";

mustRun("npm", ["run", "protos"], { cwd: ROOT });
await runTrials({
  "grpc-js": (context) => tryGrpcClients(["grpc-js"], context),
  grpc: (context) => tryGrpcClients(["grpc-go", "grpcio", "grpcio aio"], context),
  grpcurl: tryGrpcurl,
  curl: tryCurl,
  nghttp: tryNghttp,
  nginx: tryNginx,
  envoy: tryEnvoy,
});
