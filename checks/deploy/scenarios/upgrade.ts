import { copyFileSync, cpSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { childrenOf } from "connect-transcoding-testing/processes/process-state.js";
import { OURS, ROOT, type Service, startService } from "../../lib/processes/service.js";
import { type Pace, repeat, sendLoad, type Trial } from "./clients.js";

/** What an installation consists of, besides the program and its manifest. */
const SHARED = ["data", "gen", "node_modules", "packages", "src"];

/**
 * Moves the link of an installation between the folders of two versions under load, as deploy/systemd.md says, while a service with two
 * workers runs, and replaces a data file. Then a worker is started again, and each version from the link.
 */
export async function replaceInstallation({ seconds, rate }: Pace): Promise<Trial> {
  const folder = temporaryFolder("upgrade");
  const versions = ["old", "new"].map((name) => install(join(folder, name)));
  const link = join(folder, "current");
  const pointTo = (version: number): void => {
    symlinkSync(versions[version] ?? "", `${link}.new`);
    renameSync(`${link}.new`, link);
  };
  pointTo(0);
  const [data, original] = [join(folder, "asn.mmdb"), join(ROOT, "data", "asn.mmdb")];
  copyFileSync(original, data);
  const start = (): Promise<Service> =>
    startService({
      command: ["sh", "-c", `cd "${link}" && exec "${process.execPath}" ${OURS.join(" ")}`],
      environment: { WORKERS: "2", GEOIP_ASN_FILES: data },
    });
  const service = await start();
  const ready = /worker \d+ is ready/g;
  await service.says(ready, 2);
  let moves = 0;
  const result = await sendLoad(service.url, rate, {}, () =>
    repeat(seconds, 500, async () => {
      moves++;
      pointTo(moves % 2);
      copyFileSync(original, `${data}.next`);
      renameSync(`${data}.next`, data);
      service.process.kill("SIGHUP");
    }),
  );
  pointTo(1);
  process.kill(childrenOf(service.pid)[0] ?? 0, "SIGKILL");
  await service.says(ready, 3);
  await mustRespond(service);
  for (const version of [1, 0]) {
    pointTo(version);
    const restarted = await start();
    await mustRespond(restarted);
    await restarted.end();
  }
  await service.end();
  return {
    ...result,
    done: `${moves} × link moved and data replaced; a worker and both versions started again`,
    expected: [],
  };
}

/** Makes the folder of a version. Returns its path. */
function install(folder: string): string {
  mkdirSync(folder);
  cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  for (const name of SHARED) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  return folder;
}

async function mustRespond({ url }: Service): Promise<void> {
  const { status } = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`);
  if (status !== 200) {
    throw new Error(`a version responds with ${status}`);
  }
}
