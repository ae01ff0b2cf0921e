import { slope } from "../../bench/statistics.js";
import type { WatchedService } from "./watched-service.js";

/** Looks at the memory of the service while requests come. */
export interface MemoryWatch {
  /** To be told of how many requests were answered. */
  look(done: number): Promise<void>;
  /** The last look; what is wrong, if anything is. */
  conclude(): Promise<string[]>;
  report(): string;
}

/** Looks at a whole run, at live objects too at every fifth of them, and the part of it that is warm-up. */
const LOOKS = 50;
const LOOKS_FOR_A_HEAP = 5;
const WARM_UP = 0.5;

/** Fewer requests than these tell nothing of growth. */
const MEANINGFUL = 200_000;

/** Whether so many requests tell whether memory grows, given that what the service keeps is full. */
export const isMeaningful = (count: number): boolean => count >= MEANINGFUL;

/** MiB that live objects may grow by, and the process may grow by, for each 100,000 requests after the warm-up. */
const MAX_HEAP_GROWTH = 1;
const MAX_RESIDENT_GROWTH = 5;
/** MiB of the process, however many requests. */
const MAX_RESIDENT = 512;

/** Watches the memory over `count` requests. */
export function createMemoryWatch(service: WatchedService, count: number): MemoryWatch {
  const samples: (readonly [requests: number, mebibytes: number])[] = [];
  const heaps: (readonly [requests: number, mebibytes: number])[] = [];
  const interval = Math.max(Math.floor(count / LOOKS), 1);
  const warmedUp = Math.floor(count * WARM_UP);
  let most = 0;

  async function look(done: number): Promise<void> {
    if (done % interval === 0) {
      most = Math.max(most, service.residentMemory());
      if (done >= warmedUp) {
        samples.push([done, service.residentMemory()]);
      }
    }
    if (done >= warmedUp && done % (LOOKS_FOR_A_HEAP * interval) === 0) {
      heaps.push([done, await service.liveHeap()]);
    }
  }

  const residentGrowth = () => slope(samples) * 1e5;
  const heapGrowth = () => slope(heaps) * 1e5;

  async function conclude(): Promise<string[]> {
    if (!service.isRunning()) {
      return [];
    }
    if (heaps.at(-1)?.[0] !== count) {
      heaps.push([count, await service.liveHeap()]);
    }
    return [
      ...(isMeaningful(count) && heapGrowth() > MAX_HEAP_GROWTH ? ["live objects grow"] : []),
      ...(isMeaningful(count) && residentGrowth() > MAX_RESIDENT_GROWTH ? ["the process grows"] : []),
      ...(most > MAX_RESIDENT ? [`the process takes more than ${MAX_RESIDENT} MiB`] : []),
    ];
  }

  function report(): string {
    const ends = (points: typeof samples) =>
      [points[0], points.at(-1)].map((point) => `${point?.[1].toFixed(1)} MiB`).join(" to ");
    return [
      `resident memory from the warm-up to the end: ${ends(samples)}, at most ${most.toFixed(0)} MiB; ` +
        `${residentGrowth().toFixed(2)} MiB for 100,000 requests (at most ${MAX_RESIDENT_GROWTH})`,
      `live objects: ${ends(heaps)}; ${heapGrowth().toFixed(2)} MiB for 100,000 requests (at most ${MAX_HEAP_GROWTH})` +
        (!isMeaningful(count) ? `; growth counts from ${MEANINGFUL} requests on` : ""),
    ].join("\n");
  }

  return { look, conclude, report };
}
