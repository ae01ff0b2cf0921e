import { startService } from "connect-transcoding-testing/checks.mjs";
import { MAIN } from "../../lib/service.mjs";

/** Starts the built service, over TLS if there is a certificate. */
export function serve(certificate, env = {}) {
  const tls = certificate && { TLS_CERT_FILE: certificate.cert, TLS_KEY_FILE: certificate.key };
  return startService(process.execPath, [MAIN], { ...tls, ...env });
}

/** Calls a function with a service that is started before and stopped after, first in cleartext, then over TLS. */
export async function eachTransport(certificate, trial, env) {
  for (const [transport, files] of Object.entries({ cleartext: undefined, TLS: certificate })) {
    const service = await serve(files, env);
    await trial(transport, service, files);
    await service.stop();
  }
}
