import { createContextKey } from "@connectrpc/connect";

/** How the client reaches this server, for absolute URLs in responses: scheme and authority, no final slash. */
export const baseUrlKey = createContextKey("", { description: "base URL" });

/**
 * The IP address of the client: that of the connection, or the one that a trusted proxy forwards. Empty if the connection
 * has closed already.
 */
export const clientAddressKey = createContextKey("", { description: "client address" });
