import type { DescMethod } from "@bufbuild/protobuf";

/** The full name of a method, for example `utilitytools.v1.GeoIpService.LookupIp`. */
export function methodName({ parent, name }: DescMethod): string {
  return `${parent.typeName}.${name}`;
}
