import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { installBuf } from "connect-transcoding-testing/buf.mjs";
import { mustRun } from "connect-transcoding-testing/checks.mjs";
import { type Program, startEnvoy, startProgram } from "connect-transcoding-testing/processes/programs.js";
import { prepared, pythonPrograms } from "connect-transcoding-testing/programs.mjs";

const HERE = import.meta.dirname;
const PACKAGES = join(HERE, "../../..");
const GO = join(HERE, "go");

/** The full names of services, and the file with their descriptors. */
export interface Api {
  readonly descriptors: string;
  readonly services: readonly string[];
}

/** Starts a gRPC server, on a free port by default. */
type StartUpstream = (descriptors: string, port?: number) => Promise<Program>;

/** Starts a program in front of a gRPC server. */
type StartPeer = (api: Api, upstream: number) => Promise<Program>;

const pins = (folder: string): string[] =>
  readdirSync(join(HERE, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(go|mod|sum|proto|java|xml)$/.test(file))
    .map((file) => join(HERE, folder, file));

const PROTOS = [join(PACKAGES, "connect-transcoding", "proto"), join(HERE, "proto")];

/** Copies the protos of the tables to a folder. */
function copyProtos(folder: string): string {
  for (const each of PROTOS) {
    cpSync(each, folder, { recursive: true });
  }
  mustRun("chmod", ["-R", "u+w", folder]);
  return folder;
}

/** Builds the servers in Go. Returns their folder. */
const BIN = prepared("gateway-go", pins("go"), (target: string) =>
  mustRun("go", ["build", "-o", `${target}/`, "./upstream", "./vanguard"], { cwd: GO, seconds: 600 }),
);

const PREPARED = prepared("gateway-descriptors", [...pins("proto"), join(GO, "go.mod")], (target: string) => {
  const protos = copyProtos(join(target, "protos"));
  const build = ["build", protos, "--as-file-descriptor-set", "-o"];
  mustRun(installBuf(), [...build, join(target, "messages.binpb")]);
  // Python rejects a JSON name that is the name of another field, which ASP.NET's tests have.
  mustRun(installBuf(), [...build, join(target, "tests.binpb"), "--exclude-path", join(protos, "peers")]);
});
const DESCRIPTORS = join(PREPARED, "tests.binpb");

/** The file with the descriptors of the messages for tables with rules. */
export const MESSAGES: string = join(PREPARED, "messages.binpb");

/** Builds grpc-gateway with the handlers of the mirror. Returns the path of the program. */
function buildGrpcGateway(): string {
  const own = pins("proto").filter((file) => file.includes("/mirror/"));
  const folder = prepared("gateway-grpc-gateway", [...pins("go"), ...own], (target: string) => {
    const protos = copyProtos(join(target, "protos"));
    const module = join(target, "module");
    cpSync(GO, module, { recursive: true });
    const template = {
      version: "v2",
      managed: {
        enabled: true,
        disable: [{ path: "google" }],
        override: [{ file_option: "go_package_prefix", value: "gateway/gen" }],
      },
      plugins: ["protoc-gen-go", "protoc-gen-go-grpc", "protoc-gen-grpc-gateway"].map((name) => ({
        local: ["go", "-C", GO, "tool", name],
        out: join(module, "gen"),
        opt: ["paths=source_relative"],
      })),
    };
    const paths = ["--path", join(protos, "mirror")];
    mustRun(installBuf(), ["generate", protos, ...paths, "--template", JSON.stringify(template)]);
    const build = ["build", "-tags", "grpcgateway", "-o", join(target, "grpc-gateway"), "./grpc-gateway"];
    mustRun("go", build, { cwd: module, seconds: 600 });
  });
  return join(folder, "grpc-gateway");
}

/** The API of the servers: the methods of proto/mirror. */
export const MIRROR: Api = { descriptors: DESCRIPTORS, services: ["mirror.v1.Mirror"] };

/** Starts a server whose last arguments are the port and the file with the descriptors. */
const startServer =
  (prepare: () => readonly string[]): StartUpstream =>
  (descriptors, port) => {
    const program = prepare();
    return startProgram((_, at) => [...program, String(at), descriptors], port);
  };

/** The servers in Go, Python and Java. */
export const UPSTREAMS = {
  Go: startServer(() => [join(BIN, "upstream")]),
  Python: startServer(() => {
    const venv = pythonPrograms("gateway-python", join(HERE, "python", "requirements.txt"));
    return [join(venv, "bin", "python"), join(HERE, "python", "upstream.py")];
  }),
  Java: startServer(() => {
    const classes = prepared("gateway-java", pins("java"), (target: string) => {
      const options = { cwd: join(HERE, "java"), seconds: 600 };
      mustRun("mvn", ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${target}`], options);
      mustRun("javac", ["-cp", join(target, "*"), "-d", target, "Upstream.java"], options);
    });
    const path = `${join(classes, "*")}:${classes}`;
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", path, "Upstream"];
  }),
};

/** Starts the gateway of this repository with further options. Without descriptors, it uses reflection. */
export function startGateway(upstream: number, ...options: readonly string[]): Promise<Program> {
  const main = join(PACKAGES, "gateway", "dist", "main.js");
  const command = [process.execPath, main, "--upstream", `http://127.0.0.1:${upstream}`, ...options];
  return startProgram((_, port) => [...command, "--port", String(port)]);
}

/** Writes the descriptors of an API without other services to a file, and returns its path. */
function writeDescriptors(api: Api, path: string): string {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(api.descriptors));
  for (const file of set.file) {
    file.service = file.service.filter(({ name }) => api.services.includes(`${file.package}.${name}`));
  }
  writeFileSync(path, toBinary(FileDescriptorSetSchema, set));
  return path;
}

/** Our gateway and its peers. */
export const PEERS: Readonly<Record<string, StartPeer>> = {
  ours: (api, upstream) =>
    startGateway(upstream, "--descriptor", writeDescriptors(api, join(BIN, "ours.binpb"))),
  "grpc-gateway": (_, upstream) =>
    startProgram((_, port) => [
      buildGrpcGateway(),
      ...["-port", String(port), "-upstream", `127.0.0.1:${upstream}`],
    ]),
  vanguard: (api, upstream) =>
    startProgram((at, port) => {
      const descriptors = writeDescriptors(api, at("descriptors"));
      const target = `http://127.0.0.1:${upstream}`;
      return [join(BIN, "vanguard"), String(port), target, descriptors, ...api.services];
    }),
  // As in the other programs, unknown parameters and paths are errors, and defaults are in responses.
  Envoy: (api, upstream) =>
    startEnvoy(
      (at, port) => `
static_resources:
  listeners:
  - address: {socket_address: {address: 127.0.0.1, port_value: ${port}}}
    filter_chains:
    - filters:
      - name: http
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: http
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes: [{match: {prefix: /}, route: {cluster: upstream, timeout: 60s}}]
          http_filters:
          - name: transcoder
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.grpc_json_transcoder.v3.GrpcJsonTranscoder
              proto_descriptor: ${writeDescriptors(api, at("descriptors"))}
              services: [${api.services}]
              convert_grpc_status: true
              request_validation_options: {reject_unknown_method: true, reject_unknown_query_parameters: true}
              print_options: {always_print_primitive_fields: true}
          - name: router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
  clusters:
  - name: upstream
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: {http2_protocol_options: {}}
    load_assignment:
      cluster_name: upstream
      endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: ${upstream}}}}}]}]
`,
    ),
};
