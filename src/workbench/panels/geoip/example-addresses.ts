import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";

/** The schema's example, other public resolvers, and addresses that are nobody's. */
export const EXAMPLE_ADDRESSES: readonly string[] = [
  fieldDocsOf(LookupIpRequestSchema.field.ipAddress).example,
  "9.9.9.9",
  "2001:4860:4860::8888",
  "193.0.6.139",
  "192.168.1.1",
  "2001:db8::1",
];
