// `npm run check -- clients/http2 [NAME …]`: tries programs that speak HTTP/2 against the built service, in cleartext and over TLS.
// Without names, all of them. Programs that are not installed are reported and skipped; see docs/reference/conformance.md.
import { runTrials } from "../service.mjs";
import { tryCurl, tryNghttp } from "./commands.mjs";
import { tryGrpcJs } from "./grpc-clients.mjs";

await runTrials({
  "grpc-js": tryGrpcJs,
  curl: tryCurl,
  nghttp: tryNghttp,
});
