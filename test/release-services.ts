import { readConfig } from "../src/config/read-config.js";
import type { ServiceImplementation } from "../src/rpc/service.js";
import { loadServices, type World } from "../src/services.js";

/** The services of the release on their default settings and data. Throws an Error when the data cannot be used. */
export async function releaseServices(world: World): Promise<ServiceImplementation[]> {
  const config = readConfig({});
  if (!config.ok) {
    throw new Error(config.failure.description);
  }
  const services = await loadServices(config.value, world);
  if (!services.ok) {
    throw new Error(services.failure.description);
  }
  return services.value;
}
