/** The folder with buf and its plugins. */
export const BUF_BIN: string;
/** Installs buf when it is missing. Returns the path of the program. */
export function installBuf(): string;
