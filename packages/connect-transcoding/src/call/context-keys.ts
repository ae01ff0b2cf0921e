import { createContextKey } from "@connectrpc/connect";
import type { Queue } from "@utility-tools/http-server/portable";

/** How the client reaches this server, for absolute URLs in responses: scheme and authority, no final slash. */
export const baseUrlKey = createContextKey("", { description: "base URL" });

/**
 * The HTTP status of the response to a call over REST: 200 to 299, or a redirection. A handler or an interceptor sets it, for a stream
 * before the first message. Default: 0, the status of the method's options. Other protocols ignore it.
 */
export const httpStatusKey = createContextKey(0, { description: "HTTP status" });

/**
 * The IP address of the client: that of the connection, or the one that a trusted proxy forwards. Empty if the connection
 * has closed already.
 */
export const clientAddressKey = createContextKey("", { description: "client address" });

/** The queue of the call's work; undefined on a server that has none. */
export const queueKey = createContextKey<Queue | undefined>(undefined, { description: "queue" });
