import type { DescService } from "@bufbuild/protobuf";
import { knownOptions } from "@utility-tools/http-server/portable";
import { Health } from "../../gen/health/v1/health_pb.js";
import type { AdapterOptions } from "../call/options.js";
import type { TranscodingRouter } from "../routes/served-methods.js";
import { healthRoutes, type ServerHealth } from "../services/health.js";
import { reflectionRoutes } from "../services/reflection.js";
import { checkFeatures } from "./check-features.js";
import { describedPages } from "./described-pages.js";
import { API_INFO, type Features } from "./options.js";

/**
 * Replaces the features in options by routes and pages. Throws an UnknownOptionError, and a TypeError for a feature that is not valid or that
 * lacks what it needs.
 *
 * @param closing aborts when the server closes, beside the option `shutdownSignal`
 */
export function withFeatures(given: AdapterOptions & Features, closing?: AbortSignal): AdapterOptions {
  checkFeatures(given);
  const { openapi, docs = false, health = false, reflection = false, mcp = false, ...options } = given;
  if (openapi === undefined && (docs || mcp)) {
    throw new TypeError(
      `${docs ? "docs" : "mcp"}: true needs the option openapi, with a title and a version`,
    );
  }
  const { routes, transcoding = {}, requestPathPrefix: prefix = "", shutdownSignal } = options;
  const signals = [closing, shutdownSignal].filter((each) => each !== undefined);
  return {
    ...options,
    routes: health || reflection ? withServices(routes, { health, reflection, signals }) : routes,
    transcoding: mcp ? { ...transcoding, checkHost: transcoding.checkHost ?? true } : transcoding,
    pagesOf:
      openapi &&
      describedPages({ openapi: knownOptions("openapi", openapi, API_INFO), docs, mcp, prefix, transcoding }),
  };
}

/** Adds the services of features to routes, unless they have them. */
function withServices(
  routes: AdapterOptions["routes"],
  options: {
    readonly health: boolean;
    readonly reflection: boolean;
    readonly signals: readonly AbortSignal[];
  },
): AdapterOptions["routes"] {
  return (router) => {
    const services = new Set<DescService>();
    const recorder: TranscodingRouter = {
      handlers: router.handlers,
      service(service, implementation, given) {
        services.add(service);
        router.service(service, implementation, given);
        return recorder;
      },
      rpc(method, implementation, given) {
        services.add(method.parent);
        router.rpc(method, implementation, given);
        return recorder;
      },
    };
    routes(recorder);
    if (options.health && !services.has(Health)) {
      healthRoutes(healthUntil(AbortSignal.any([...options.signals]), [...services]))(recorder);
    }
    if (options.reflection) {
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
