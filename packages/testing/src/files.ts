import { join } from "node:path";

const PACKAGE = join(import.meta.dirname, "..");

/** The folder with certificates and keys: `first-cert.pem`, `first-key.pem`, and the same of `second`. */
export const TLS = join(PACKAGE, "tls");

/** A descriptor set with comments, of proto/garden. */
export const GARDEN = join(PACKAGE, "gen", "garden.binpb");
