import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { loadDataFiles } from "connect-transcoding-operations/files/data-files";
import { readRegularFile } from "connect-transcoding-operations/files/read-regular-file";
import { folderPaths, readProvenance } from "../../data-files/data-folder.js";
import { type Failure, fail, ok, type Result } from "../../failures/result.js";
import { PACKAGE_FOLDER } from "../../installed-package.js";
import { once } from "../../once.js";
import type { DataSource, ToolModule } from "../tool.js";
import { type BrokenList, type EmailLists, NO_LISTS, parseDomains, parseNameList } from "./email-lists.js";
import { emailService } from "./email-service.js";
import { type EmailSourceFailure, parseEmailSources } from "./email-sources.js";

/** The lists, and the sources of those in use. */
export interface LoadedEmailLists {
  readonly lists: EmailLists;
  readonly sources: readonly DataSource[];
  /** The path of the list of disposable domains in use. */
  readonly file: string;
  /** The list in the data folder if it is older than the installed one, and therefore not used. */
  readonly outdated: readonly string[];
}

/** Why the lists cannot be used; the description names the file. */
export type EmailListsFailure = BrokenList | EmailSourceFailure | Failure<"EMAIL_LIST_UNREADABLE">;

const FOLDER = join(PACKAGE_FOLDER, "data");
const MAX_BYTES = 16 * 1024 * 1024;

/** The installed list of disposable domains. */
const INSTALLED_DISPOSABLE = join(FOLDER, "email", "disposable-domains.txt");

/** The file and the parser of each installed list. */
const INSTALLED: {
  readonly [Name in keyof EmailLists]: readonly [
    file: string,
    parse: (text: string) => Result<EmailLists[Name], BrokenList>,
  ];
} = {
  disposable: ["disposable-domains.txt", parseDomains],
  moreDisposable: ["more-disposable-domains.txt", parseLater],
  freeProviders: ["free-providers.txt", parseDomains],
  commonProviders: ["common-providers.txt", parseDomains],
  relays: ["relay-domains.txt", parseDomains],
  roleNames: ["role-names.txt", parseNameList],
  topLevelDomains: ["top-level-domains.txt", parseNameList],
};

/** Loads the lists: disposable domains from the data folder, unless it has none or the installed ones are newer. */
export async function loadEmailLists(
  dataDir: string,
  installed: LoadedEmailLists,
): Promise<Result<LoadedEmailLists, EmailListsFailure>> {
  const paths = folderPaths(dataDir, "disposable");
  const time = await changeTime(paths.file);
  if (time === undefined) {
    return ok(installed);
  }
  const disposable = await readList(paths.file, parseDomains);
  if (!disposable.ok) {
    return disposable;
  }
  const [own, known, ...others] = installed.sources;
  const provenance = await readProvenance(paths);
  const isKnown = provenance?.source === "disposable-email-domains";
  const builtAt = new Date(Date.parse(provenance?.lastModified ?? "") || time);
  if (known?.builtAt !== undefined && builtAt < known.builtAt) {
    return ok({ ...installed, outdated: [paths.file] });
  }
  const source: DataSource = {
    name: known?.name ?? "",
    publisher: isKnown ? (known?.publisher ?? "") : "",
    url: isKnown ? (known?.url ?? "") : "",
    license: isKnown ? "CC0-1.0" : "NOASSERTION",
    attribution: "",
    version: "",
    builtAt,
  };
  return ok({
    lists: { ...installed.lists, disposable: disposable.value },
    sources: [...(own === undefined ? [] : [own]), source, ...others],
    file: paths.file,
    outdated: [],
  });
}

/** Loads the installed lists. */
export async function loadInstalledLists(): Promise<Result<LoadedEmailLists, EmailListsFailure>> {
  const names = Object.keys(INSTALLED) as (keyof EmailLists)[];
  const [sources, ...loaded] = await Promise.all([
    readList(join(FOLDER, "SOURCES.json"), parseEmailSources),
    ...names.map(async (name) => {
      const [file, parse] = INSTALLED[name];
      return [name, await readList(join(FOLDER, "email", file), parse)] as const;
    }),
  ]);
  if (!sources.ok) {
    return sources;
  }
  let lists = NO_LISTS;
  for (const [name, list] of loaded) {
    if (!list.ok) {
      return list;
    }
    lists = { ...lists, [name]: list.value };
  }
  return ok({ lists, sources: sources.value, file: INSTALLED_DISPOSABLE, outdated: [] });
}

/** Parses an installed list when it is needed, so that the start need not wait for it. */
function parseLater(text: string): Result<EmailLists["moreDisposable"], BrokenList> {
  const domains = once(() => new Set(text.trimEnd().split("\n")));
  return ok({ has: (domain) => domains().has(domain), keys: () => domains().keys() });
}

async function readList<T, F extends Failure>(
  path: string,
  parse: (text: string) => Result<T, F>,
): Promise<Result<T, F | Failure<"EMAIL_LIST_UNREADABLE">>> {
  const content = await readRegularFile(path, MAX_BYTES);
  if (!content.ok) {
    return fail("EMAIL_LIST_UNREADABLE", `the e-mail list ${path} ${content.failure.description}`);
  }
  const parsed = parse(content.value.toString("utf8"));
  return parsed.ok
    ? parsed
    : {
        ok: false,
        failure: { ...parsed.failure, description: `the e-mail list ${path} ${parsed.failure.description}` },
      };
}

/** The time of the last change of a file in milliseconds; undefined if there is none. */
function changeTime(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** The methods whose responses do not depend on the lists. */
const WITHOUT_LISTS: readonly DescMethod[] = [
  EmailService.method.sanitizeEmail,
  EmailService.method.batchSanitizeEmails,
];

/**
 * Loads the lists and creates the email tool. The installed lists are a part of the program, without which the tool cannot be created.
 * A list in the data folder that cannot be used is reported, and the list before it stays in use: at startup, the installed one.
 */
export const load: ToolModule["load"] = async ({ config: { dataDir }, watchFiles, report, calls }) => {
  if (calls?.methods.every((method) => WITHOUT_LISTS.includes(method))) {
    return ok(emailService());
  }
  const installed = await loadInstalledLists();
  if (!installed.ok) {
    return installed;
  }
  const service = "utilitytools.v1.EmailService";
  const { file, provenance } = folderPaths(dataDir, "disposable");
  const { current, close } = await loadDataFiles({
    paths: [file, provenance],
    load: async (inUse: LoadedEmailLists | undefined) => {
      const loaded = await loadEmailLists(dataDir, installed.value);
      if (loaded.ok || inUse !== undefined) {
        return loaded;
      }
      const description = `${loaded.failure.description}; ${installed.value.file} is used`;
      report({ kind: "data_refused", service, ...loaded.failure, description, hasOlderData: true });
      return installed;
    },
    watchFiles,
    onLoad: (loaded, hadData) => {
      if (!loaded.ok) {
        report({ kind: "data_refused", service, ...loaded.failure, hasOlderData: true });
      } else {
        const { sources, file, outdated } = loaded.value;
        report({ kind: "data_loaded", service, sources, files: [file], outdated, isReplacement: hadData });
      }
    },
  });
  const inUse = () => current() ?? installed.value;
  return ok(
    emailService({
      lists: () => inUse().lists,
      sources: () => inUse().sources,
      files: () => [inUse().file],
      close,
    }),
  );
};
