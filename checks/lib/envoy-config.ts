/** Servers to which Envoy forwards the requests of a port. */
export interface EnvoyUpstream {
  readonly name: string;
  /** The ports of the servers, and the port where Envoy listens for them, on 127.0.0.1. */
  readonly ports: readonly number[];
  readonly port: number;
  /** The version of HTTP between Envoy and the servers. */
  readonly http: 1 | 2;
  /** The file with the certificate of the servers. Without it, they speak cleartext. */
  readonly certificate?: string | undefined;
  /** Further settings of the connection manager, of the virtual host and of the route. */
  readonly manager?: object;
  readonly host?: object;
  readonly route?: object;
}

const FILTERS = "type.googleapis.com/envoy.extensions.filters";
const HTTP_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
const TLS_CONTEXT = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext";
/** The defaults are less than a test needs, and allow three retries at once. */
const MANY = {
  max_connections: 100_000,
  max_pending_requests: 100_000,
  max_requests: 100_000,
  max_retries: 1_000,
};

/** Returns the configuration of Envoy, in JSON. */
export function envoyConfig(upstreams: readonly EnvoyUpstream[]): string {
  const resources = { listeners: upstreams.map(listenerOf), clusters: upstreams.map(clusterOf) };
  return JSON.stringify({ static_resources: resources });
}

const addressOf = (port_value: number) => ({ socket_address: { address: "127.0.0.1", port_value } });

function listenerOf({ name, port, manager, host, route }: EnvoyUpstream): object {
  // The pattern matches the target `*` too, unlike a prefix.
  const match = { safe_regex: { regex: ".*" } };
  const routes = [{ match, route: { cluster: name, timeout: "0s", ...route } }];
  const router = { "@type": `${FILTERS}.http.router.v3.Router`, suppress_envoy_headers: true };
  const config = {
    "@type": `${FILTERS}.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: "ingress",
    http_filters: [{ name: "router", typed_config: router }],
    route_config: { virtual_hosts: [{ name: "all", domains: ["*"], routes, ...host }] },
    ...manager,
  };
  const filters = [{ name: "http", typed_config: config }];
  return { name, address: addressOf(port), filter_chains: [{ filters }] };
}

function clusterOf({ name, ports, http, certificate }: EnvoyUpstream): object {
  const options = { [http === 1 ? "http_protocol_options" : "http2_protocol_options"]: {} };
  const trust = {
    alpn_protocols: [http === 1 ? "http/1.1" : "h2"],
    validation_context: { trusted_ca: { filename: certificate } },
  };
  const tls = { name: "tls", typed_config: { "@type": TLS_CONTEXT, common_tls_context: trust } };
  const endpoints = ports.map((port) => ({ endpoint: { address: addressOf(port) } }));
  return {
    name,
    type: "STATIC",
    connect_timeout: "1s",
    circuit_breakers: { thresholds: [MANY] },
    typed_extension_protocol_options: {
      [HTTP_OPTIONS]: { "@type": `type.googleapis.com/${HTTP_OPTIONS}`, explicit_http_config: options },
    },
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: endpoints }] },
    ...(certificate === undefined ? {} : { transport_socket: tls }),
  };
}
