import { Argument, type Command } from "commander";
import { FOLDER_FILES, type FolderFile } from "../../data-files/data-folder.js";
import { allowedSources, DEFAULT_SOURCES, sourceNames } from "../../data-update/sources.js";
import { EXIT, type ExitStatus } from "../../failures/exit-status.js";
import { checkHealth } from "../../service/health-check.js";
import { completionScript, SHELLS } from "../definitions/completion.js";
import { type Program, SERVICE_GROUP, TOOL_GROUP, writerOf } from "../root.js";
import type { ProcessContext } from "../run.js";

/** A command that calls no method of a service. */
export interface OwnCommand {
  readonly name: string;
  /** The heading in the help of the program. */
  readonly group: string;
  /** One per line. */
  readonly example: string;
  readonly summary: string;
  readonly description: string;
  readonly operand?: Argument;
  /** The flags with their descriptions, and the values that shells complete. */
  readonly flags?: readonly (readonly [flags: string, description: string, choices?: readonly string[]])[];
  readonly run: (command: Command, context: ProcessContext, program: Program) => Promise<ExitStatus>;
}

/** The words of the command that reads exports. */
const IMPORT_COMMAND = "otp import";

/** What the files of `update-data` have. */
const FILE_CONTENTS: Readonly<Record<FolderFile, string>> = {
  city: "locations",
  asn: "autonomous systems",
  disposable: "disposable e-mail domains",
};

/** The exports and what they have. */
const EXPORTED = [
  ["geoip", "the ranges of IP addresses with their location and autonomous system"],
  ["countries", "the countries"],
  ["subdivisions", "the subdivisions of countries"],
  ["email-lists", "the lists of e-mail domains, role names and top-level domains"],
] as const;

/** The commands besides those of tools and `serve`. */
export const OWN_COMMANDS: readonly OwnCommand[] = [
  {
    name: IMPORT_COMMAND,
    group: TOOL_GROUP,
    example:
      `utility-tools ${IMPORT_COMMAND}\n` +
      `utility-tools ${IMPORT_COMMAND} --secret-file export.txt\n` +
      `utility-tools ${IMPORT_COMMAND} --secret-file aegis.json --json`,
    summary: "read the accounts of an authenticator app's export",
    description:
      "Read the accounts of an export of Google Authenticator (the texts of its QR codes), Aegis or 2FAS (a JSON file that is not " +
      "encrypted), and write the key URI of each, on a line of its own. Each is an input of otp code, otp verify or hotp verify. " +
      "The accounts contain secrets. They stay in the memory of this process: nothing is sent or stored.",
    flags: [
      [
        "-f, --secret-file <FILE>",
        "read this file instead of standard input: one link (otpauth-migration://...) per line, or JSON. On a terminal, a link " +
          "is asked for and not shown",
      ],
      ["--json", "write JSON, one line per account"],
    ],
    run: async (command, context) => {
      const { importOtp } = await import("./import-otp.js");
      return importOtp(command, context);
    },
  },
  {
    name: "healthcheck",
    group: SERVICE_GROUP,
    example: "utility-tools healthcheck\nPORT=9000 utility-tools healthcheck",
    summary: "ask the running service whether it is ready",
    description:
      "Ask the service on this machine whether it is ready. HOST, PORT and TLS_CERT_FILE are read from the environment, as the " +
      "service reads them. Exits with 0 if it is ready, 1 if it is not ready or does not respond within two seconds, 78 if a " +
      "setting is invalid.",
    // Without arguments, the program runs it before it loads the commands.
    run: async (_, { env, out, err }) => {
      const { status, text } = await checkHealth(env);
      await (status === EXIT.ok ? out : err).sink.write(`${text}\n`);
      return status;
    },
  },
  {
    name: "mcp",
    group: SERVICE_GROUP,
    example: "claude mcp add utility-tools -- utility-tools mcp",
    summary: "serve the tools to an agent",
    description:
      "Serve the tools to the program that starts this one, by the Model Context Protocol over standard input and output. Data settings are those " +
      "of the service. Problems are written to standard error.",
    run: async (_, context) => {
      const { serveMcp } = await import("./mcp.js");
      return serveMcp(context);
    },
  },
  {
    name: "make-key",
    group: SERVICE_GROUP,
    example:
      "utility-tools make-key alice\n" +
      "utility-tools make-key alice --append keys.txt\n" +
      "utility-tools make-key ci --append keys.txt --expires 2027-01-31",
    summary: "create an API key",
    description:
      "Create an API key. The key alone is written to standard output, only once; everything else is written to " +
      "standard error.",
    operand: new Argument(
      "<NAME>",
      "the owner of the key: 1 to 64 characters of A-Z, a-z, 0-9, '.', '_' and '-'",
    ),
    flags: [
      [
        "--append <FILE>",
        "append the line of the key to this file, which is created (mode 0600) if it is missing",
      ],
      [
        "--expires <DATE>",
        "reject the key from this date or time (UTC) on: 2027-01-31 or 2027-01-31T12:00:00Z",
      ],
    ],
    run: async (command, { out, err }) => {
      const [{ makeKey }, { randomBytes }] = await Promise.all([
        import("./make-key.js"),
        import("node:crypto"),
      ]);
      return makeKey(command.args[0] ?? "", {
        ...command.opts<{ append?: string; expires?: string }>(),
        randomBytes,
        out: writerOf(out.sink),
        err: writerOf(err.sink),
      });
    },
  },
  {
    name: "update-data",
    group: SERVICE_GROUP,
    example:
      "utility-tools update-data\n" +
      "utility-tools update-data --check --max-age 60d\n" +
      "utility-tools update-data --every 1d --data-dir /var/lib/utility-tools",
    summary: "download newer data files",
    description:
      "Download newer data files for IP lookups and e-mail addresses, check them, and put them into the data folder. A running service uses " +
      "them within two seconds. A file that fails a check changes nothing. The sources geolite2 and geoip2 need " +
      "MAXMIND_ACCOUNT_ID and MAXMIND_LICENSE_KEY in the environment, ipinfo needs IPINFO_TOKEN. Downloads use the proxies " +
      "in HTTP_PROXY, HTTPS_PROXY and NO_PROXY.",
    flags: [
      ...FOLDER_FILES.map(
        (file) =>
          [
            `--${file}-source <SOURCE>`,
            `source of ${FILE_CONTENTS[file]}: ${allowedSources(file)}, or none. ` +
              `Also DATA_${file.toUpperCase()}_SOURCE. Default: ${DEFAULT_SOURCES[file]}`,
            [...sourceNames(file), "none"],
          ] as const,
      ),
      ["--data-dir <FOLDER>", "the data folder. Also DATA_DIR. Default: data/updates of the installation"],
      ["--timeout <DURATION>", "time for each of three attempts to download a file. Default: 10m"],
      ["--check", "show the age of the data in use, and download nothing"],
      ["--every <DURATION>", "repeat until it is stopped, such as 1d"],
      ["--max-age <DURATION>", "with --check: exit with 3 if data is older, such as 60d"],
    ],
    run: async (command, context) => {
      const { updateData } = await import("./update-data.js");
      return updateData(command, context);
    },
  },
  ...EXPORTED.map(
    ([name, contents]): OwnCommand => ({
      name: `export ${name}`,
      group: SERVICE_GROUP,
      example:
        `utility-tools export ${name} --format parquet --output ${name}.parquet\n` +
        `utility-tools export ${name} --format csv --output ${name}.csv\n` +
        `utility-tools export ${name} --format csv | head`,
      summary: `write ${contents} as Parquet or CSV`,
      description:
        `Write ${contents} as a table for databases and data engines. Data settings are those of the service. Parquet has the licenses of the ` +
        "data in its metadata; with CSV, they are written to standard error.",
      flags: [
        ["--format <FORMAT>", "parquet or csv", ["parquet", "csv"]],
        [
          "-o, --output <FILE>",
          "write this file, which is replaced when all is written, instead of standard output",
        ],
      ],
      run: async (command, context) => {
        const { exportData } = await import("./export/export-data.js");
        return exportData(name, command, context);
      },
    }),
  ),
  {
    name: "completion",
    group: "Shell:",
    example:
      "utility-tools completion bash > ~/.local/share/bash-completion/completions/utility-tools\n" +
      "utility-tools completion zsh > ~/.zfunc/_utility-tools\n" +
      "utility-tools completion fish > ~/.config/fish/completions/utility-tools.fish",
    summary: "print the script for completion in a shell",
    description:
      "Print the script that completes commands, flags and values in a shell. For zsh, its folder must be one of $fpath.",
    operand: new Argument("<SHELL>", "the shell").choices(SHELLS),
    run: async (command, { out }, { root, commands }) => {
      const shell = SHELLS.find((each) => each === command.args[0]) ?? "bash";
      await out.sink.write(completionScript(shell, root, commands));
      return EXIT.ok;
    },
  },
];
