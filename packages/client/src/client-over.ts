import { type Client, Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { SERVICES } from "@utility-tools/protos/services.js";
import { checkApiKey } from "./api-key.js";
import { type ClientOptions, checkNumbers } from "./client-options.js";
import { steadyTransport } from "./steady-transport.js";
import { REAL_WORLD, type World } from "./world.js";

type Services = typeof SERVICES;

/** A client of each service, by its name without "Service": `client.geoIp.lookupIp({ ipAddress: "8.8.8.8" })`. */
export type UtilityToolsClient = { readonly [Name in keyof Services]: Client<Services[Name]> } & {
  /**
   * Ends all calls that are under way with `CANCELED`, and closes all connections. A program ends without it, once its calls
   * are over: connections that no call is on do not keep it. Calls after it end with `CANCELED` at once.
   */
  close(): void;
};

/**
 * Makes a client that calls over a transport of connect's: one of its own, or one of your making. Throws where an option means
 * nothing.
 *
 * @param release Is called when the client is closed, to close what is under the transport.
 */
export function createClientOver(
  transport: Transport,
  options: ClientOptions = {},
  release: () => void = () => {},
  world: World = REAL_WORLD,
): UtilityToolsClient {
  checkNumbers(options);
  checkApiKey(options.apiKey);
  const closing = new AbortController();
  const steady = steadyTransport(transport, options, closing.signal, world);
  const clients = Object.entries(SERVICES).map(([name, service]) => [name, createClient(service, steady)]);
  return {
    ...(Object.fromEntries(clients) as Omit<UtilityToolsClient, "close">),
    close() {
      if (!closing.signal.aborted) {
        closing.abort(new ConnectError("the client is closed", Code.Canceled));
        release();
      }
    },
  };
}
