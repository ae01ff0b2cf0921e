export function makeCertificate(
  folder: string,
  name?: string,
): { readonly cert: string; readonly key: string };
