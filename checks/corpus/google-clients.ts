import { fromJson, type Registry } from "@bufbuild/protobuf";
import { createServer } from "connect-transcoding";
import { HttpSchema } from "connect-transcoding/gen/google/api/http_pb.js";
import { fallback, IamClient, LocationsClient } from "google-gax";

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

/** Methods of the clients, which they declare for callbacks only. */
interface Mixins {
  getLocation(request: object): Promise<unknown[]>;
  setIamPolicy(request: object): Promise<unknown[]>;
}

/**
 * Calls mixins of Google's APIs with Google's REST clients, which add `$alt` to every query. Returns the problems: what a client
 * received in place of the response, or its error.
 */
export async function tryGoogleClients(registry: Registry): Promise<readonly string[]> {
  const service = (name: string) => {
    const desc = registry.getService(name);
    if (desc === undefined) {
      throw new Error(`there is no ${name}`);
    }
    return desc;
  };
  const server = createServer({
    // Descriptors that are loaded at run time have no types.
    routes: (router) =>
      router
        .service(service("google.cloud.location.Locations"), {
          getLocation: ({ name }: { name: string }) => ({ name, displayName: "here" }),
        } as never)
        .service(service("google.iam.v1.IAMPolicy"), {
          setIamPolicy: ({ policy }: { policy: object }) => policy,
        } as never),
    transcoding: { rules: fromJson(HttpSchema, HTTP).rules, unknownParameters: "ignore" },
  });
  const { port } = await server.listen("127.0.0.1", 0);
  // The clients have no types for a server without TLS and credentials.
  const auth = { getClient: async () => ({}), fetch };
  const place = { servicePath: "127.0.0.1", port, protocol: "http" };
  const options = { ...place, fallback: true, numericEnums: true, auth } as never;
  const grpc = new fallback.GrpcClient(options) as never;
  const locations = new LocationsClient(grpc, options) as unknown as Mixins;
  const iam = new IamClient(grpc, options) as unknown as Mixins;
  const problems = await Promise.all([
    problemOf(locations.getLocation({ name: LOCATION }), { name: LOCATION, displayName: "here" }),
    problemOf(iam.setIamPolicy({ resource: KEY_RING, policy: POLICY }), POLICY),
  ]);
  await server.close(0);
  return problems.flat();
}

/** Compares the members of `expected` with those of a response. */
async function problemOf(call: Promise<unknown[]>, expected: object): Promise<string[]> {
  const [response] = await call.catch((error: unknown) => [String(error)]);
  const members = Object.keys(expected).map((name) => [name, (response as Record<string, unknown>)[name]]);
  const received = JSON.stringify(Object.fromEntries(members));
  return received === JSON.stringify(expected)
    ? []
    : [`Google's client received ${JSON.stringify(response)}`];
}
