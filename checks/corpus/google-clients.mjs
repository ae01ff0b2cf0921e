// Calls mixins of Google's APIs with Google's REST clients, which add `$alt` to every query. The argument is a file with the
// `google.protobuf.FileDescriptorSet` of the APIs.
import { readFileSync } from "node:fs";
import { createFileRegistry, fromBinary, fromJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createServer } from "connect-transcoding";
import { HttpSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { fallback, IamClient, LocationsClient } from "google-gax";
import { check, conclude } from "../lib/checks.mjs";

/** Rules for mixins, in the form of the `http` section of a service configuration. */
const HTTP = {
  rules: [
    {
      selector: "google.cloud.location.Locations.GetLocation",
      get: "/v1/{name=projects/*/locations/*}",
    },
    {
      selector: "google.iam.v1.IAMPolicy.SetIamPolicy",
      post: "/v1/{resource=projects/*/locations/*/keyRings/*}:setIamPolicy",
      body: "*",
    },
  ],
};
const LOCATION = "projects/a/locations/b";
const KEY_RING = `${LOCATION}/keyRings/c`;
const POLICY = { bindings: [{ members: ["user:a"], role: "reader", condition: null }] };

const [descriptors] = process.argv.slice(2);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
const server = createServer({
  routes: (router) =>
    router
      .service(registry.getService("google.cloud.location.Locations"), {
        getLocation: ({ name }) => ({ name, displayName: "here" }),
      })
      .service(registry.getService("google.iam.v1.IAMPolicy"), { setIamPolicy: ({ policy }) => policy }),
  transcoding: { rules: fromJson(HttpSchema, HTTP).rules, unknownParameters: "ignore" },
});
const { port } = await server.listen("127.0.0.1", 0);
const auth = { getClient: async () => ({}), fetch };
const options = {
  ...{ servicePath: "127.0.0.1", port, protocol: "http" },
  ...{ fallback: true, numericEnums: true, auth },
};
const grpc = new fallback.GrpcClient(options);
const locations = new LocationsClient(grpc, options);
const iam = new IamClient(grpc, options);
const location = { name: LOCATION, displayName: "here" };
await checkCall("getLocation", locations.getLocation({ name: LOCATION }), location);
await checkCall("setIamPolicy", iam.setIamPolicy({ resource: KEY_RING, policy: POLICY }), POLICY);
await server.close(0);
conclude();

/** Checks that a response has the members of `expected`. */
async function checkCall(name, call, expected) {
  const [response] = await call.catch((error) => [String(error)]);
  const received = Object.fromEntries(Object.keys(expected).map((member) => [member, response[member]]));
  const holds = JSON.stringify(received) === JSON.stringify(expected);
  check(`Google's client calls ${name}`, holds, JSON.stringify(response));
}
