export function publishedManifest(
  manifest: Readonly<Record<string, unknown>>,
  folder: string,
  config: { readonly repository: string; readonly homepage: string; readonly bugs: string },
): Record<string, unknown>;
