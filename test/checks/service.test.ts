import { processorTime, residentMemory } from "connect-transcoding-testing/processes/process-state.js";
import { expect, test } from "vitest";
import { startService } from "../../checks/lib/processes/service.js";

const node = (script: string) => [process.execPath, "--eval", script];
const READY = "console.log('tool is ready on http://127.0.0.1:1234'); ";

test("starts a program with only the given environment, and waits for what it prints", async () => {
  const script = `${READY} setInterval(() => console.log(process.env.A, process.env.HOME), 10)`;
  const service = await startService({ command: node(script), environment: { A: "b" } });
  expect(service).toMatchObject({ url: "http://127.0.0.1:1234", port: 1234 });
  await service.says(/^b undefined$/gm, 2);
  expect(service.count(/^b undefined$/gm)).toBeGreaterThanOrEqual(2);
  expect(residentMemory(service.pid)).toBeGreaterThan(1);
  expect(processorTime(service.pid)).toBeGreaterThanOrEqual(0);
  expect(await service.end()).toBe("SIGTERM");
  expect(residentMemory(service.pid)).toBe(Number.NaN);
});

test.each([
  ["ends", node("console.error('no data'); process.exit(3)"), /it ended \(3\): no data/],
  ["does not exist", ["/no/such/program"], /ENOENT/],
])("rejects if the program %s", async (_, command, problem) => {
  await expect(startService({ command })).rejects.toThrow(problem);
});

test("rejects what a program no longer says", async () => {
  const service = await startService({ command: node(`${READY} setTimeout(() => process.exit(0), 100)`) });
  await expect(service.says(/more/g, 1)).rejects.toThrow("it ended (0)");
  expect(await service.end()).toBe(0);
});
