/** `GET` reads the request to its end, and `POST` is rejected at once. */
const READS_GET = "/v1/countries";
/** `POST` reads the request to its end, and `GET` is rejected at once. */
const READS_POST = "/v1/otp";

/** The paths that h2spec requests. It sends GET or POST depending on the case, and no path here serves both. */
export const PATHS = [READS_GET, READS_POST];

const ANY = ["cleartext", "TLS"];

/**
 * The cases that may fail, and why. The names begin with h2spec's section.
 *
 * A server may respond before the end of a request, and then reset the stream with NO_ERROR (RFC 9113, section 8.1). Frames
 * that follow are ignored (section 5.1), also malformed ones. h2spec waits for the error that they would have caused.
 */
export const EXCEPTIONS = [
  {
    // The port also serves HTTP/1.1, so the bytes are a malformed request, which gets a 400 before the connection is closed.
    // h2spec expects a connection that is closed without a response.
    transports: ["cleartext"],
    paths: PATHS,
    cases: ["http2/3.5 Sends invalid connection preface"],
  },
  {
    transports: ANY,
    paths: [READS_GET],
    cases: [
      "http2/8.1 Sends a second HEADERS frame without the END_STREAM flag",
      "http2/8.1.2.1 Sends a HEADERS frame that contains a pseudo-header field as trailers",
      'http2/8.1.2.6 Sends a HEADERS frame with the "content-length" header field which does not equal the DATA frame payload length',
      'http2/8.1.2.6 Sends a HEADERS frame with the "content-length" header field which does not equal the sum of the multiple DATA frames payload length',
    ],
  },
  {
    transports: ANY,
    paths: [READS_POST],
    cases: [
      "http2/5.1 closed: Sends a DATA frame after sending RST_STREAM frame",
      "http2/5.1 closed: Sends a HEADERS frame after sending RST_STREAM frame",
      "http2/6.9 Sends a WINDOW_UPDATE frame with a flow control window increment of 0 on a stream",
      "http2/6.9.1 Sends multiple WINDOW_UPDATE frames increasing the flow control window to above 2^31-1 on a stream",
    ],
  },
];
