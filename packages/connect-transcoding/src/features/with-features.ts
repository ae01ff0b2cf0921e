import type { DescService } from "@bufbuild/protobuf";
import { describedPages } from "#features";
import { Health } from "../../gen/health/v1/health_pb.js";
import type { AdapterOptions } from "../call/options.js";
import type { TranscodingRouter } from "../routes/served-methods.js";
import { healthRoutes, type ServerHealth } from "../services/health.js";
import { reflectionRoutes } from "../services/reflection.js";
import type { Features } from "./options.js";

/**
 * Replaces the features in options by routes and pages. Throws a TypeError for a feature that lacks what it needs.
 *
 * @param closing aborts when the server closes, beside the option `shutdownSignal`
 */
export function withFeatures(
  {
    openapi,
    docs = false,
    health = false,
    reflection = false,
    mcp = false,
    ...options
  }: AdapterOptions & Features,
  closing?: AbortSignal,
): AdapterOptions {
  if (openapi === undefined && (docs || mcp)) {
    throw new TypeError(
      `${docs ? "docs" : "mcp"}: true needs the option openapi, with a title and a version`,
    );
  }
  const { routes, transcoding = {}, requestPathPrefix: prefix = "", shutdownSignal } = options;
  const stopping = AbortSignal.any([closing, shutdownSignal].filter((each) => each !== undefined));
  return {
    ...options,
    routes: health || reflection ? withServices(routes, { health, reflection, stopping }) : routes,
    transcoding: mcp ? { checkHost: true, ...transcoding } : transcoding,
    pagesOf: openapi && describedPages({ openapi, docs, mcp, prefix, transcoding }),
  };
}

/** Adds the services of features to routes, unless they have them. */
function withServices(
  routes: AdapterOptions["routes"],
  { health, reflection, stopping }: { health: boolean; reflection: boolean; stopping: AbortSignal },
): AdapterOptions["routes"] {
  return (router) => {
    const services = new Set<DescService>();
    const recorder: TranscodingRouter = {
      handlers: router.handlers,
      service(service, implementation, options) {
        services.add(service);
        router.service(service, implementation, options);
        return recorder;
      },
      rpc(method, implementation, options) {
        services.add(method.parent);
        router.rpc(method, implementation, options);
        return recorder;
      },
    };
    routes(recorder);
    if (health && !services.has(Health)) {
      healthRoutes(healthUntil(stopping, [...services]))(recorder);
    }
    if (reflection) {
      reflectionRoutes([...services])(router);
    }
  };
}

/** The health of a server whose services are serving until a signal aborts. */
function healthUntil(stopping: AbortSignal, services: readonly DescService[]): ServerHealth {
  // One listener of the signal for all watchers, because Node warns of many.
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) {
      listener();
    }
  };
  stopping.addEventListener("abort", notify, { once: true });
  return {
    services: services.map(({ typeName }) => typeName),
    isServing: () => !stopping.aborted,
    isStopping: () => stopping.aborted,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
