/** Imports a module of the page by its path there. By URL, because the types of the page need the DOM, which tests do not have. */
export const pageModule = <Module>(path: string): Promise<Module> =>
  import(new URL(`../../src/workbench/${path}`, import.meta.url).href);
