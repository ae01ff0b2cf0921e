import type { HttpAnswer } from "../transcoding/answer.js";
import type { HeaderList, Reply } from "./exchange.js";

/** Lists of headers that are the same for many answers, by their objects; gone when those are. */
const lists = new WeakMap<HttpAnswer["headers"], HeaderList>();

/** An answer as it goes out, just as it is. */
export function toReply({ status, headers, body }: HttpAnswer): Reply {
  return { status, headers: headerList(headers), body };
}

/** Headers as a list. */
export function headerList(headers: HttpAnswer["headers"]): HeaderList {
  // An encoder has the same frozen headers for each of its answers.
  if (!Object.isFrozen(headers)) {
    return Object.entries(headers).flat();
  }
  const known = lists.get(headers) ?? Object.entries(headers).flat();
  lists.set(headers, known);
  return known;
}
