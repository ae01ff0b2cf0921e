export function tryRaw() {}
