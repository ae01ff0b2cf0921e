import { CLIENT_PORT, READ_HOST } from "./backend.js";
import { NO_HOST } from "./readings.js";

// The proxies change as little as they can, and send each head at once.

/** The configuration of nginx. Hosts are compared as `$host`, because that is what nginx routes by. */
export function nginxConfiguration(folder: string, port: number, backendPort: number): string {
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/temp;`,
  );
  return `${process.getuid?.() === 0 ? "user root;" : ""}
daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log crit;
events { worker_connections 16384; }
http {
  ${temp.join(" ")}
  access_log off;
  upstream backend { server 127.0.0.1:${backendPort}; keepalive 256; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    merge_slashes off; underscores_in_headers on; ignore_invalid_headers off;
    client_header_buffer_size 64k; large_client_header_buffers 8 64k; client_max_body_size 0;
    keepalive_requests 1000000;
    location / {
      proxy_pass http://backend;
      proxy_http_version 1.1; proxy_request_buffering off; proxy_buffering off;
      proxy_set_header Connection ""; proxy_set_header Host $http_host;
      proxy_set_header ${CLIENT_PORT} $remote_port; proxy_set_header ${READ_HOST} $host;
    }
  }
}
`;
}

/** The configuration of Envoy. The pattern of the route matches the target `*` too, unlike a prefix. */
export function envoyConfiguration(_folder: string, port: number, backendPort: number): string {
  const filters = "type.googleapis.com/envoy.extensions.filters";
  return `
static_resources:
  listeners:
  - name: differential
    address: { socket_address: { address: 127.0.0.1, port_value: ${port} } }
    filter_chains:
    - filters:
      - name: http
        typed_config:
          "@type": ${filters}.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: differential
          codec_type: HTTP1
          http_protocol_options: { accept_http_10: true, default_host_for_http_10: ${NO_HOST} }
          normalize_path: false
          merge_slashes: false
          path_with_escaped_slashes_action: KEEP_UNCHANGED
          use_remote_address: true
          skip_xff_append: true
          generate_request_id: false
          server_header_transformation: PASS_THROUGH
          max_request_headers_kb: 64
          http_filters:
          - name: router
            typed_config: { "@type": ${filters}.http.router.v3.Router, suppress_envoy_headers: true }
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes: [{ match: { safe_regex: { regex: ".*" } }, route: { cluster: backend, timeout: 0s } }]
              request_headers_to_add:
              - header: { key: ${CLIENT_PORT}, value: "%DOWNSTREAM_REMOTE_PORT%" }
                append_action: OVERWRITE_IF_EXISTS_OR_ADD
  clusters:
  - name: backend
    type: STATIC
    circuit_breakers:
      thresholds: [{ max_connections: 100000, max_pending_requests: 100000, max_requests: 100000 }]
    load_assignment:
      cluster_name: backend
      endpoints:
      - lb_endpoints:
        - endpoint: { address: { socket_address: { address: 127.0.0.1, port_value: ${backendPort} } } }
`;
}
