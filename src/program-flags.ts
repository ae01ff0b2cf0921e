/** The flags of every command for its help. */
export const HELP_FLAGS = "-h, --help";

/** The flags of every command for the version. */
export const VERSION_FLAGS = "-v, --version";
