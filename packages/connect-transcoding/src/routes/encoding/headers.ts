import type { HeaderList } from "one-port";
import { CONNECTION_HEADERS } from "one-port/portable";

// RFC 9110, sections 5.1 and 5.5.
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Throws a TypeError for a header that HTTP does not allow. */
export function validateHeader(name: string, value: string): void {
  if (!NAME.test(name)) {
    throw new TypeError(`the header name ${JSON.stringify(name)} has a character that HTTP does not allow`);
  }
  if (!VALUE.test(value)) {
    throw new TypeError(`the value of the header ${name} has a character that HTTP does not allow`);
  }
}

/** Converts headers to a list. Throws a TypeError for invalid headers, and removes them, so that the error can be sent. */
export function toHeaderList(headers: Headers): HeaderList {
  const { list, errors } = sift(headers);
  if (errors.length > 0) {
    throw errors[0];
  }
  return list;
}

/** Removes headers that HTTP does not allow a handler to set. Returns errors about them. */
export function removeInvalidHeaders(headers: Headers): readonly unknown[] {
  return sift(headers).errors;
}

/** Removes invalid headers. Returns the others, and errors about those. */
function sift(headers: Headers): { readonly list: HeaderList; readonly errors: readonly unknown[] } {
  const list: string[] = [];
  const errors: unknown[] = [];
  for (const [name, value] of [...headers]) {
    try {
      // A wrong length breaks the response.
      if (CONNECTION_HEADERS.has(name) || name === "content-length") {
        throw new TypeError(`the server sends the header ${name} itself`);
      }
      // Headers allows control characters.
      validateHeader(name, value);
      list.push(name, value);
    } catch (thrown) {
      headers.delete(name);
      errors.push(thrown);
    }
  }
  return { list, errors };
}
