/** Words for the errors of files that people meet. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "no space left",
  EEXIST: "a file of this name exists",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many open files",
  ENOENT: "no such file or folder",
  ENOSPC: "no space left",
  ENOTDIR: "a part of the path is no folder",
  EPERM: "permission denied",
  EPIPE: "its reader is gone",
  EROFS: "the file system is read-only",
};

/** The code of a system error, such as `ENOENT`, or the text of any other exception. */
export function systemErrorCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
}

/** What a system error means, for people: `no such file or folder`. An uncommon one is its code. */
export function systemErrorText(thrown: unknown): string {
  const code = systemErrorCode(thrown);
  return WORDS[code] ?? code;
}
