import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The ports at the other ends of the TCP connections that a process holds (proc_pid_fd(5), proc_pid_net(5)). */
export function peerPortsOf(pid: number): Set<number> {
  const inodes = new Set<string>();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${name}`))?.[1];
    if (inode !== undefined) {
      inodes.add(inode);
    }
  }
  const ports = new Set<number>();
  for (const table of ["tcp", "tcp6"]) {
    for (const line of readFileSync(`/proc/${pid}/net/${table}`, "utf8").split("\n").slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [remote = "", inode = ""] = [fields[2], fields[9]];
      const port = Number.parseInt(remote.split(":")[1] ?? "", 16);
      // A socket that listens has no other end.
      if (inodes.has(inode) && port !== 0) {
        ports.add(port);
      }
    }
  }
  return ports;
}

/** Where a link leads; nowhere when it has just gone. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
