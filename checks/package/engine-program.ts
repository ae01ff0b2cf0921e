// Uses connect-transcoding as a project would that installed it: one set of routes, on its own server and as the handler
// of a node:http server, called over JSON, Connect, gRPC and gRPC-Web. Prints one line per call; run.mjs compares them.
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Code, ConnectError, type ConnectRouter, createClient, type ServiceImpl } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import {
  baseUrlKey,
  createError,
  createServer,
  createTranscodingAdapter,
  invalidArgument,
} from "connect-transcoding";
// With and without the extension: code that protoc-gen-es writes has one by `import_extension=js` only.
import { file_google_api_annotations } from "connect-transcoding/gen/google/api/annotations_pb";
import { file_google_api_http } from "connect-transcoding/gen/google/api/http_pb.js";
import { codeName } from "connect-transcoding/rules";

const email: Partial<ServiceImpl<typeof EmailService>> = {
  sanitizeEmail({ email }, context) {
    if (email === "") {
      throw invalidArgument([{ field: "email", reason: "MISSING_EMAIL", description: "email is required" }]);
    }
    if (email === "nobody@example.com") {
      throw createError({ code: Code.NotFound, reason: "UNKNOWN_EMAIL", message: "no such address" });
    }
    context.responseHeader.set("x-base-url", context.values.get(baseUrlKey));
    return { email: email.toLowerCase() };
  },
};
const routes = (router: ConnectRouter): void => {
  router.service(EmailService, email);
};

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(`${url}/v1/sanitizeEmail?format=json`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const reason = /"reason":\s*"(\w+)"/.exec(text)?.[1];
  const hasBaseUrl = response.headers.get("x-base-url") === url;
  console.log("JSON", response.status, response.ok ? `${text} ${hasBaseUrl}` : reason);
}

async function call(
  name: string,
  client: ReturnType<typeof createClient<typeof EmailService>>,
): Promise<void> {
  console.log(name, (await client.sanitizeEmail({ email: "A@Example.com" })).email);
  const failure = await client.sanitizeEmail({ email: "nobody@example.com" }).catch(ConnectError.from);
  console.log(name, failure instanceof ConnectError ? codeName(failure.code) : "no error");
}

const server = createServer({ routes, transcoding: { errorDomain: "example.com" } });
const { port } = await server.listen("127.0.0.1", 0);
const url = `http://127.0.0.1:${port}`;
await post(url, { email: "A@Example.com" });
await post(url, {});
await call(
  "Connect",
  createClient(EmailService, createConnectTransport({ baseUrl: url, httpVersion: "1.1" })),
);
await call("gRPC", createClient(EmailService, createGrpcTransport({ baseUrl: url })));
await call(
  "gRPC-Web",
  createClient(EmailService, createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1" })),
);
await server.close(1_000);

const httpServer = createHttpServer(createTranscodingAdapter({ routes })).listen(0, "127.0.0.1");
await new Promise((resolve) => httpServer.once("listening", resolve));
await post(`http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`, { email: "B@Example.com" });
httpServer.closeAllConnections();
httpServer.close();
console.log(file_google_api_annotations.name, file_google_api_http.name);
