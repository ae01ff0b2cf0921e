/** The methods of GeoIpService that a test of one method does not call. */
export const NOTHING_ELSE = { lookupSelf: () => ({}), batchLookupIps: () => ({}) };
