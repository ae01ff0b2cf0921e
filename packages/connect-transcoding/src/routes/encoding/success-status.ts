const REDIRECTIONS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Which statuses a successful response can have. */
export const SUCCESS_STATUSES = "200 to 299, 301, 302, 303, 307, 308";

/** Whether a method can respond with a status. 304 is for conditional requests only. */
export function isSuccessStatus(status: number): boolean {
  return (Number.isInteger(status) && status >= 200 && status <= 299) || REDIRECTIONS.has(status);
}

/** Whether responses with a status have no body (RFC 9110, sections 15.3.5 and 15.3.6). */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205;
}
