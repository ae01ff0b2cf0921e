import { readFile } from "node:fs/promises";
import { create, type DescMethodUnary, type DescService } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextValues, type HandlerContext } from "@connectrpc/connect";
import { INVALID_API_KEY, isApiKey } from "@utility-tools/client";
import { baseUrlKey, clientAddressKey, collectMethods, type RegisteredMethod } from "connect-transcoding";
import type { MessageInit } from "connect-transcoding/codec";
import { methodName } from "connect-transcoding/rules";
import { systemErrorText } from "connect-transcoding-operations/failures/system-error";
import { parseDuration } from "connect-transcoding-operations/settings/values";
import { describeBug } from "connect-transcoding-operations/telemetry/describe-bug";
import { formatAuthority, parseBaseUrl } from "../../config/addresses.js";
import { type Environment, readConfig } from "../../config/read-config.js";
import { SETTINGS } from "../../config/settings.js";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { once } from "../../once.js";
import { loadToolsFor } from "../../tools/load-tools.js";
import type { PlannedCalls, SharedFiles } from "../../tools/tool.js";

/** Calls a method, in this process or of a running service. Throws a ConnectError. */
export type MethodCaller = (method: DescMethodUnary, request: MessageInit) => Promise<MessageInit>;

/** The reason why no method can be called, with the exit status. */
export interface NotCallable extends Failure {
  readonly status: ExitStatus;
}

/** The settings of the service that decide responses. */
const DATA_SETTINGS = [
  SETTINGS.dataDir,
  SETTINGS.geoIpCityFiles,
  SETTINGS.geoIpAsnFiles,
  SETTINGS.publicBaseUrl,
];

function settingsIn(env: Environment, settings: readonly { readonly name: string }[]): Environment {
  return Object.fromEntries(settings.map(({ name }) => [name, env[name]]));
}

/** How a service is loaded into this process. */
export interface LocalOptions {
  /** Called for data files that cannot be used, if others are used in their place. */
  readonly warn?: (problem: string) => void;
  /** The only calls that follow; undefined: any can. */
  readonly calls?: PlannedCalls | undefined;
  /** The data files that another thread has in memory. */
  readonly sharedFiles?: SharedFiles | undefined;
}

/** Calls methods in this process. */
export interface LocalCaller extends MethodCaller {
  /** Returns the data files in a memory that another thread can use. */
  readonly shareFiles: () => Promise<SharedFiles>;
}

/**
 * Loads what calls of one service need in this process, with the settings in the environment.
 *
 * @param load loads the tools; tests share those that they have loaded
 */
export async function openLocalService(
  service: DescService,
  env: Environment,
  { warn = () => {}, calls, sharedFiles = new Map() }: LocalOptions = {},
  load = loadToolsFor,
): Promise<Result<LocalCaller, NotCallable>> {
  const config = readConfig(settingsIn(env, DATA_SETTINGS));
  if (!config.ok) {
    return { ok: false, failure: { ...config.failure, status: EXIT.config } };
  }
  const rejected: string[] = [];
  const tools = await load(service, config.value, {
    now: Date.now,
    calls,
    sharedFiles,
    // An import of this module takes a tenth of the time of a command, because it loads all that it exports.
    randomBytes: (size) => process.getBuiltinModule("node:crypto").randomBytes(size),
    // A command ends before its data files change.
    watchFiles: async () => ({ stop: () => {} }),
    report: (event) => {
      // The data of other services does not matter: `about` lists what is there.
      if (event.kind === "data_refused" && event.service === service.typeName) {
        if (event.hasOlderData) {
          warn(event.description);
        } else {
          rejected.push(event.description);
        }
      }
    },
  });
  if (!tools.ok) {
    return { ok: false, failure: { ...tools.failure, status: EXIT.unavailable } };
  }
  if (rejected.length > 0) {
    const description = rejected.join("; ");
    return { ok: false, failure: { reason: "DATA_UNAVAILABLE", description, status: EXIT.unavailable } };
  }
  // An invalid address matters to the service alone.
  const address = readConfig(settingsIn(env, [SETTINGS.host, SETTINGS.port]));
  const { host, port } = address.ok ? address.value : config.value;
  const { publicBaseUrl } = config.value;
  const methods = tools.value.flatMap(({ routes }) => collectMethods(routes));
  const call = callInProcess(methods, publicBaseUrl ?? `http://${formatAuthority(host, port)}`);
  const shareFiles = async (): Promise<SharedFiles> => {
    const shared = await Promise.all(tools.value.map((tool) => tool.shareFiles?.() ?? sharedFiles));
    return new Map(shared.flatMap((files) => [...files]));
  };
  return ok(Object.assign(call, { shareFiles }));
}

/**
 * Calls methods in this process.
 *
 * @param baseUrl the start of URLs in responses, without a final slash
 */
function callInProcess(methods: readonly RegisteredMethod[], baseUrl: string): MethodCaller {
  return async (method, request) => {
    const { spec } = methods.find((each) => each.method === method) ?? {};
    if (spec?.kind !== "unary") {
      throw new Error(`${methodName(method)} is not implemented by any tool`);
    }
    const context = localContext(method, baseUrl);
    try {
      // A handler returns an init object of its output type; the codec reads that without creating a message.
      return (await spec.impl(create(method.input, request), context)) as MessageInit;
    } catch (thrown) {
      if (thrown instanceof ConnectError) {
        throw thrown;
      }
      console.error(methodName(method), describeBug(thrown));
      throw new ConnectError("internal error", Code.Internal);
    }
  };
}

/** The context of a call without a client. Headers are created on first use, because that loads what `fetch` needs. */
function localContext(method: DescMethodUnary, baseUrl: string): HandlerContext {
  const request = once(() => new Headers());
  const response = once(() => new Headers());
  const trailer = once(() => new Headers());
  return {
    service: method.parent,
    method,
    protocolName: "connect",
    requestMethod: "POST",
    url: `${baseUrl}/${method.parent.typeName}/${method.name}`,
    values: createContextValues().set(baseUrlKey, baseUrl).set(clientAddressKey, ""),
    signal: new AbortController().signal,
    timeoutMs: () => undefined,
    get requestHeader() {
      return request();
    },
    get responseHeader() {
      return response();
    },
    get responseTrailer() {
      return trailer();
    },
  };
}

/** The running service that a command calls. */
export interface RemoteOptions {
  readonly url: URL;
  readonly apiKey: string | undefined;
  /** Milliseconds per call; undefined: the default of the client. */
  readonly timeoutMs: number | undefined;
}

/** The flags that select a running service. */
export interface RemoteFlags {
  readonly url?: string;
  readonly apiKey?: string;
  readonly apiKeyFile?: string;
  readonly timeout?: string;
}

/** The environment variables that stand for flags. */
const URL_VARIABLE = "UTILITY_TOOLS_URL";
const KEY_VARIABLE = "UTILITY_TOOLS_API_KEY";

const MAX_TIMEOUT = 3_600_000;

/**
 * Reads which running service to call, from flags and the environment; flags win. Undefined: none. The description of a
 * failure repeats no value, because a URL may contain a password.
 */
export async function readRemoteOptions(
  flags: RemoteFlags,
  env: Environment,
): Promise<Result<RemoteOptions | undefined, Failure<"USAGE" | "INVALID_SETTING" | "UNREADABLE">>> {
  const { apiKey: keyFlag, apiKeyFile: keyFile, timeout } = flags;
  const text = flags.url ?? env[URL_VARIABLE] ?? "";
  const timeoutMs = timeout === undefined ? undefined : (parseDuration(timeout) ?? 0);
  if (timeoutMs === 0 || (timeoutMs ?? 0) > MAX_TIMEOUT) {
    return fail("USAGE", "--timeout must be a duration from 1ms to 1h, such as 500ms or 10s");
  }
  if (text === "") {
    const alone = [keyFlag && "--api-key", keyFile && "--api-key-file", timeout && "--timeout"].find(Boolean);
    return alone ? fail("USAGE", `${alone} needs --url as well`) : ok(undefined);
  }
  const url = parseBaseUrl(text);
  if (url === undefined) {
    const [name, reason] =
      flags.url === undefined ? ([URL_VARIABLE, "INVALID_SETTING"] as const) : (["--url", "USAGE"] as const);
    return fail(reason, `${name} must be an http or https URL without user, query and fragment`);
  }
  if (keyFlag !== undefined && keyFile !== undefined) {
    return fail("USAGE", "--api-key and --api-key-file must not be given together");
  }
  const fromFile = keyFile === undefined ? undefined : await readKey(keyFile);
  if (fromFile?.ok === false) {
    return fromFile;
  }
  const apiKey = keyFlag ?? fromFile?.value ?? (env[KEY_VARIABLE] || undefined);
  if (apiKey !== undefined && !isApiKey(apiKey)) {
    const flag = keyFlag === undefined ? keyFile && "--api-key-file" : "--api-key";
    return flag
      ? fail("USAGE", `${flag}: ${INVALID_API_KEY}`)
      : fail("INVALID_SETTING", `${KEY_VARIABLE}: ${INVALID_API_KEY}`);
  }
  return ok({ url, apiKey, timeoutMs });
}

async function readKey(path: string): Promise<Result<string, Failure<"UNREADABLE">>> {
  try {
    return ok((await readFile(path, "utf8")).trim());
  } catch (error) {
    return fail("UNREADABLE", `--api-key-file: ${path} cannot be read (${systemErrorText(error)})`);
  }
}
