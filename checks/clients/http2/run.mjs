// `npm run check -- clients/http2`: tries programs that speak HTTP/2 against the built service, in cleartext and over TLS.
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { conclude, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { tryCurl, tryNghttp } from "./commands.mjs";
import { tryGrpcJs } from "./grpc-js.mjs";

const folder = temporaryFolder("clients");
const certificate = makeCertificate(folder);
for (const trial of [tryGrpcJs, tryCurl, tryNghttp]) {
  await trial(certificate, folder);
}
conclude();
