/** The panel that a hash of the address names; undefined for one that names none. */
export function panelOf<Panel extends { readonly id: string }>(
  hash: string,
  panels: readonly Panel[],
): Panel | undefined {
  const id = /^#\/([^/?]*)/.exec(hash)?.[1];
  return panels.find((panel) => panel.id === id);
}
