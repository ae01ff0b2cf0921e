import { join } from "node:path";
import { startService } from "../../lib/checks.mjs";
import { ROOT } from "../programs.mjs";
import { eachTransport } from "../service.mjs";

/** The `MAX_REQUEST_BYTES` of the service in this suite. */
export const LIMIT = 300 * 1024;
const ENV = { MAX_REQUEST_BYTES: String(LIMIT) };

export const LOOKUP = "/v1/geoIp?ip_address=8.8.8.8";
export const EMAIL = '{"email":"Jane.Doe+news@GoogleMail.com"}';
/** The response to {@link EMAIL}. */
export const NORMALIZED = "janedoe@gmail.com";
export const JSON_TYPE = { "content-type": "application/json" };

/** The path of a server stream, and the books in its response: a short one that is complete at once would be sent whole. */
export const EXPORT = "/v1/shelves/fiction/books:export";
const BOOKS = ["Momo", "Emma", "Ulysses"].map(
  (word, index) =>
    `{"name":"shelves/fiction/books/${index + 1}","title":"${word.repeat(4000)}","read":false}`,
);
/** The response. */
export const EXPORTED = `[${BOOKS.join(",\n")}]`;

/** Starts the example with a REST server stream, and adds these books. It has no TLS. */
async function serveLibrary() {
  const library = await startService(process.execPath, [join(ROOT, "examples", "library", "server.js")]);
  for (const book of BOOKS) {
    const { title } = JSON.parse(book);
    const response = await fetch(`${library.url}/v1/shelves/fiction/books`, {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ title }),
    });
    await response.arrayBuffer();
  }
  return library;
}

/** Calls a function with the service, first in cleartext, then over TLS, and with the library. */
export async function eachService({ certificate }, trial) {
  const library = await serveLibrary();
  try {
    await eachTransport(
      certificate,
      (transport, service, files) => trial(transport, service, library, files),
      ENV,
    );
  } finally {
    await library.stop();
  }
}
