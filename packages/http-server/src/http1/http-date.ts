let current: string | undefined;

/** The value of `date` for a response that is sent now (RFC 9110, section 6.6.1). It is formatted once a second. */
export function httpDate(): string {
  if (current === undefined) {
    const now = Date.now();
    current = new Date(now).toUTCString();
    setTimeout(forget, 1000 - (now % 1000)).unref();
  }
  return current;
}

function forget(): void {
  current = undefined;
}
