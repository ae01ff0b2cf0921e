export { OptionError } from "./errors.js";
export { DEFAULTS, type GatewayOptions, type UpstreamOptions } from "./options.js";
export { type Gateway, startGateway } from "./server/gateway.js";
