/** Installs buf when it is missing. Returns the path of the program. */
export function installBuf(): string;
