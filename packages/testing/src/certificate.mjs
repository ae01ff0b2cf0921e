import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Makes a self-signed certificate for 127.0.0.1, localhost and tools.example with openssl. Returns the paths of its files. */
export function makeCertificate(folder, name = "tls") {
  const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const made = spawnSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
      ...["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:tools.example"],
      ...["-keyout", files.key, "-out", files.cert],
    ],
    { encoding: "utf8" },
  );
  if (made.status !== 0) {
    throw new Error(`openssl made no certificate: ${made.error ?? made.stderr}`);
  }
  return files;
}
