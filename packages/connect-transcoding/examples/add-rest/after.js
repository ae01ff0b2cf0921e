// The same, and JSON over HTTP by the rules in the proto file.
import { createServer } from "node:http";
import { createTranscodingAdapter } from "connect-transcoding";
import { routes } from "./eliza.js";

const server = createServer(createTranscodingAdapter({ routes }));

server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  const address = server.address();
  console.log(`ready on http://127.0.0.1:${typeof address === "object" ? address?.port : address}`);
});
