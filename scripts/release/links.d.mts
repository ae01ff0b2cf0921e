export function absoluteLinks(
  page: string,
  folder: string,
  release: { readonly repository: string; readonly tag: string },
): string;
