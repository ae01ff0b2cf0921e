import { knownOptions } from "@utility-tools/http-server/portable";
import { createNodeHandler, FRAMEWORK_OPTIONS, type TranscodingAdapterOptions } from "./node.js";
import type { NodeRequest, NodeResponse } from "./node-request.js";

/** The part of a Fastify instance that the plugin uses. */
export interface FastifyLike {
  addHook(
    name: "onRequest",
    hook: (
      request: { readonly raw: NodeRequest },
      reply: { readonly raw: NodeResponse },
      done: () => void,
    ) => void,
  ): unknown;
}

/** Options of the plugin: those of the adapter. Fastify handles all other requests. */
export type FastifyTranscodingOptions = Omit<TranscodingAdapterOptions, "fallback">;

/**
 * A plugin for Fastify that serves methods and routes on its server, HTTP/1.1 or HTTP/2, before Fastify reads the body. Hooks that
 * were added before the plugin run for its requests too. Rejects as `createTranscodingAdapter` throws.
 *
 * @example
 * await server.register(fastifyTranscodingPlugin, { routes });
 */
export async function fastifyTranscodingPlugin(
  instance: FastifyLike,
  given: FastifyTranscodingOptions,
): Promise<void> {
  const options = knownOptions("fastifyTranscodingPlugin", given, FRAMEWORK_OPTIONS);
  const continuations = new WeakMap<NodeRequest, () => void>();
  const handle = createNodeHandler({ ...options, fallback: (request) => continuations.get(request)?.() });
  instance.addHook("onRequest", (request, reply, done) => {
    continuations.set(request.raw, done);
    handle(request.raw, reply.raw);
  });
}

// The hook applies to all routes of the server, not only to those of the plugin (Fastify's Reference, "Plugins").
Object.defineProperty(fastifyTranscodingPlugin, Symbol.for("skip-override"), { value: true });
