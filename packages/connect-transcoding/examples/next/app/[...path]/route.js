// Next.js serves the library by one route handler. Routes of your own take precedence over it.
import { createTranscodingHandler } from "connect-transcoding/fetch";
import { routes } from "../../../library/books.js";

const handle = createTranscodingHandler({ routes });

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
