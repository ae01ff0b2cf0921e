import { mkdir, mkdtemp, readdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Files by name. */
export type VolumeFiles = Readonly<Record<string, string | Uint8Array>>;

/**
 * Writes files into a folder as the kubelet does for Secrets and ConfigMaps (AtomicWriter in k8s.io/kubernetes/pkg/volume/util).
 * The files are in a new folder. The link `..data` is renamed to name it, and each name in the volume is a link to the file in
 * `..data`. Then the names of other files and the previous folder are removed.
 */
export async function writeVolume(folder: string, files: VolumeFiles): Promise<void> {
  await mkdir(folder, { recursive: true });
  const data = join(folder, "..data");
  const previous = await readlink(data).catch(() => undefined);
  const content = await mkdtemp(join(folder, "..2026_01_02_03_04_05."));
  for (const [name, bytes] of Object.entries(files)) {
    await writeFile(join(content, name), bytes);
  }
  const link = join(folder, "..data_tmp");
  await symlink(content.slice(folder.length + 1), link);
  await rename(link, data);
  const present = (await readdir(folder)).filter((name) => !name.startsWith(".."));
  for (const name of Object.keys(files).filter((each) => !present.includes(each))) {
    await symlink(join("..data", name), join(folder, name));
  }
  for (const name of present.filter((each) => !(each in files))) {
    await rm(join(folder, name));
  }
  if (previous !== undefined) {
    await rm(join(folder, previous), { recursive: true });
  }
}
