/** Headers about the connection, which only the server may send (RFC 9110, section 7.6.1; RFC 9113, section 8.2.2). */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);
