/** A path that serves GET, and one that serves POST. h2spec sends one or the other depending on the case. */
export const PATHS = ["/v1/countries", "/v1/otp"];

/** The cases that may fail in cleartext, and why. The names begin with h2spec's section. */
export const CLEARTEXT_EXCEPTIONS = [
  // The port also serves HTTP/1.1, so the bytes are a malformed request, which gets a 400 before the connection is closed.
  // h2spec expects a connection that is closed without a response.
  "http2/3.5 Sends invalid connection preface",
];
