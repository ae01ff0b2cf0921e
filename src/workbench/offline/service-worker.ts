// Keeps the page with all panels, so that it opens without a network. Answers are never kept: they come from the service.
// Its own module: the build puts `FILES` and `VERSION` before it.

/** The paths of all scripts and styles, relative to the page. Their names contain hashes of their content. */
declare const FILES: readonly string[];
/** Differs if the files differ. */
declare const VERSION: string;

// The types of service workers contradict those of the page, which are in the same project.
interface WorkerEvent extends Event {
  readonly waitUntil: (work: Promise<unknown>) => void;
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request;
  readonly respondWith: (response: Promise<Response>) => void;
}
interface Worker {
  readonly registration: { readonly scope: string };
  readonly addEventListener: ((
    type: "install" | "activate",
    listener: (event: WorkerEvent) => void,
  ) => void) &
    ((type: "fetch", listener: (event: RequestEvent) => void) => void);
}
const worker = globalThis as unknown as Worker;

const PAGE = worker.registration.scope;
const CACHE = `utility-tools ${PAGE} ${VERSION}`;
const KEPT: ReadonlySet<string> = new Set(FILES.map((file) => new URL(file, PAGE).href));

/** At `/`, clients that do not ask for HTML get a text. */
const pageRequest = () => new Request(PAGE, { headers: { accept: "text/html" } });

async function kept(request: Request): Promise<Response | undefined> {
  return (await caches.open(CACHE)).match(request, { ignoreSearch: true, ignoreVary: true });
}

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([pageRequest(), ...KEPT])));
});

// Called when no open page uses the version before.
worker.addEventListener("activate", (event) => {
  const isOld = (name: string) => name.startsWith(`utility-tools ${PAGE} `) && name !== CACHE;
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)))),
  );
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (KEPT.has(request.url)) {
    event.respondWith(kept(request).then((response) => response ?? fetch(request)));
  } else if (request.mode === "navigate" && request.url.split(/[?#]/)[0] === PAGE) {
    // The network first: the page is never older than the service.
    event.respondWith(
      fetch(request).catch(async (error: unknown) => {
        const response = await kept(pageRequest());
        if (response === undefined) {
          throw error;
        }
        return response;
      }),
    );
  }
});
