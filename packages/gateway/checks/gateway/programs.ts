import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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
const MODULES = { gateway: "github.com/grpc-ecosystem/grpc-gateway/v2", vanguard: "connectrpc.com/vanguard" };

/** The full names of the services of a table, and the file with their descriptors. */
export interface Api {
  readonly descriptors: string;
  readonly services: readonly string[];
}

/** Starts a gRPC server, on a free port by default. */
type StartUpstream = (descriptors: string, port?: number) => Promise<Program>;

/** Starts a program in front of a gRPC server. */
type StartPeer = (api: Api, upstream: number, unsupported: ReadonlySet<string>) => Promise<Program>;

const pins = (folder: string): string[] =>
  readdirSync(join(HERE, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(go|mod|sum|proto|java|xml)$/.test(file))
    .map((file) => join(HERE, folder, file));

/** The folder of the sources of a Go module, at the version in go.mod. */
function goModule(name: string): string {
  return JSON.parse(mustRun("go", ["mod", "download", "-json", name], { cwd: GO }).stdout).Dir;
}

const PROTOS = [
  join(PACKAGES, "connect-transcoding", "proto"),
  join(goModule(MODULES.vanguard), "internal", "proto"),
  join(HERE, "proto"),
];

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

/** Builds grpc-gateway with its examples. Returns the folder of the program and of its descriptors, `examples.binpb`. */
function buildGrpcGateway(): string {
  const own = pins("proto").filter((file) => file.includes("/mirror/"));
  return prepared("gateway-grpc-gateway", [...pins("go"), ...own], (target: string) => {
    const protos = copyProtos(join(target, "protos"));
    const copy = join(target, "module");
    cpSync(goModule(MODULES.gateway), copy, { recursive: true });
    mustRun("chmod", ["-R", "u+w", copy]);
    const peer = join(copy, "examples", "internal", "peer");
    mkdirSync(peer);
    cpSync(join(GO, "grpc-gateway", "main.go"), join(peer, "main.go"));
    const tools = ["protoc-gen-go", "protoc-gen-go-grpc", "protoc-gen-grpc-gateway"];
    const prefix = {
      file_option: "go_package_prefix",
      value: `${MODULES.gateway}/examples/internal/peer/gen`,
    };
    const template = {
      version: "v2",
      managed: { enabled: true, disable: [{ path: "google" }], override: [prefix] },
      plugins: tools.map((name) => ({
        local: ["go", "-C", GO, "tool", name],
        out: join(peer, "gen"),
        opt: ["paths=source_relative"],
      })),
    };
    // The generator rejects the path of content.proto's client stream.
    const content = ["--exclude-path", join(protos, "vanguard", "test", "v1", "content.proto")];
    const paths = ["mirror", "vanguard"].flatMap((path) => ["--path", join(protos, path)]);
    mustRun(installBuf(), ["generate", protos, ...paths, ...content, "--template", JSON.stringify(template)]);
    const program = join(target, "grpc-gateway");
    const build = ["build", "-tags", "grpcgateway", "-o", program, "./examples/internal/peer"];
    mustRun("go", build, { cwd: copy, seconds: 600 });
    mustRun(program, ["-write-descriptors", join(target, "examples.binpb")]);
  });
}

const service = (prefix: string, names: string) => names.split(" ").map((name) => `${prefix}.${name}`);

/** The APIs of the tables. */
export const APIS = {
  mirror: { descriptors: DESCRIPTORS, services: ["mirror.v1.Mirror"] },
  vanguard: {
    descriptors: DESCRIPTORS,
    services: service("vanguard.test.v1", "ContentService LibraryService"),
  },
  parameters: { descriptors: DESCRIPTORS, services: ["mirror.v1.Parameters"] },
  "grpc-gateway": {
    get descriptors() {
      return join(buildGrpcGateway(), "examples.binpb");
    },
    services: service(
      "grpc.gateway.examples.internal.proto.examplepb",
      [
        "EchoService StreamService ABitOfEverythingService FlowCombination NonStandardService ResponseBodyService",
        "ExcessBodyService OpaqueEcommerceService WrappersService",
      ].join(" "),
    ),
  },
} satisfies Record<string, Api>;

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

/**
 * Writes the descriptors of an API to a file. Other services, and the rules of methods that a program does not accept, are not in it.
 *
 * @param unsupported the full names of these methods
 */
function writeDescriptors(api: Api, unsupported: ReadonlySet<string>, path: string): string {
  const set = fromBinary(FileDescriptorSetSchema, readFileSync(api.descriptors));
  for (const file of set.file) {
    file.service = file.service.filter(({ name }) => api.services.includes(`${file.package}.${name}`));
    for (const { name, method } of file.service) {
      for (const each of method.filter((each) => unsupported.has(`${file.package}.${name}.${each.name}`))) {
        each.options = undefined;
      }
    }
  }
  writeFileSync(path, toBinary(FileDescriptorSetSchema, set));
  return path;
}

/** Our gateway and its peers. */
export const PEERS: Readonly<Record<string, StartPeer>> = {
  ours: (api, upstream) =>
    startGateway(upstream, "--descriptor", writeDescriptors(api, new Set(), join(BIN, "ours.binpb"))),
  "grpc-gateway": ({ services }, upstream) =>
    startProgram((_, port) => [
      join(buildGrpcGateway(), "grpc-gateway"),
      ...["-port", String(port), "-upstream", `127.0.0.1:${upstream}`, "-services", services.join(",")],
    ]),
  vanguard: (api, upstream, unsupported) =>
    startProgram((at, port) => {
      const descriptors = writeDescriptors(api, unsupported, at("descriptors"));
      const target = `http://127.0.0.1:${upstream}`;
      return [join(BIN, "vanguard"), String(port), target, descriptors, ...api.services];
    }),
  // As in the other programs, unknown parameters and paths are errors, and defaults are in responses.
  Envoy: (api, upstream, unsupported) =>
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
              proto_descriptor: ${writeDescriptors(api, unsupported, at("descriptors"))}
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
