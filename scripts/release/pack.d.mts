/** Packs packages as they are published. */
export function packPackages(
  config: Readonly<Record<string, string>>,
  output: string,
  folders?: readonly string[],
): readonly { readonly tarball: string }[];
