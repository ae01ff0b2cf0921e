/** Whether a `Cache-Control` header, if there is one, says that nobody may keep the answer (RFC 9111, section 5.2.2.5). */
export function forbidsStoring(cacheControl: string | undefined): boolean {
  return cacheControl !== undefined && /\bno-store\b/.test(cacheControl);
}
