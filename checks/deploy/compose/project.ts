/** A Compose file as compose-go prints it: with absolute paths, and bytes and durations as texts. */
export interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

export interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly command: readonly string[] | null;
  readonly network_mode?: string;
  readonly ports?: readonly { readonly host_ip?: string; readonly target: number }[];
  readonly volumes?: readonly Mount[];
  readonly secrets?: readonly { readonly target: string }[];
  readonly stop_grace_period?: string;
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly logging?: { readonly driver: string };
}

export interface Mount {
  readonly type: "bind" | "volume";
  readonly source: string;
  readonly target: string;
  readonly read_only?: boolean;
}
