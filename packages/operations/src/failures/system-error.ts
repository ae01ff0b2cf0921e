const CLOSED = "the server closed the connection";
const WITHOUT_TLS = "the port does not use TLS";

/** Words for the errors of files and connections that people meet. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed: NODE_EXTRA_CA_CERTS can name it",
  EAI_AGAIN: "the name of the host cannot be resolved now",
  ECONNREFUSED: "no server listens at this host and port",
  ECONNRESET: CLOSED,
  EDQUOT: "no space left",
  EEXIST: "a file of this name exists",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many open files",
  ENOENT: "no such file or folder",
  ENOSPC: "no space left",
  ENOTFOUND: "the name of the host has no address",
  ENOTDIR: "a part of the path is no folder",
  EPERM: "permission denied",
  EPIPE: "its reader is gone",
  EPROTO: WITHOUT_TLS,
  EROFS: "the file system is read-only",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: WITHOUT_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: WITHOUT_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  ERR_STREAM_PREMATURE_CLOSE: CLOSED,
  ETIMEDOUT: "the host does not respond",
  HPE_INVALID_CONSTANT: "the server does not use HTTP",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "NODE_EXTRA_CA_CERTS lacks the authority of its certificate",
};

/** The code of a system error, such as `ENOENT`, or the text of any other exception. */
export function systemErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
}

/** What a system error means, for people: `no such file or folder`. An uncommon one is its code. */
export function systemErrorText(thrown: unknown): string {
  const code = systemErrorCode(thrown);
  return WORDS[code] ?? code;
}
