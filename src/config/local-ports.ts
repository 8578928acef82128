interface LocalServer {
  /** What people call it. */
  readonly title: string;
  /** Its port without `PORT_BASE`; undefined where nothing listens unless a setting asks for it. */
  readonly usual: number | undefined;
  /** The setting of its port alone, which counts more than `PORT_BASE`. */
  readonly setting?: 'PORT' | 'CODEC_SERVER_PORT' | 'METRICS_PORT';
}

/** What `npm start` opens, in the order of its ports from `PORT_BASE` on. */
export const localServers = {
  api: { title: 'API', usual: 3000, setting: 'PORT' },
  sandbox: { title: 'sandbox', usual: 3001 },
  smtp: { title: 'mail of the sandbox', usual: 3025 },
  smpp: { title: 'SMSC of the sandbox', usual: 3275 },
  database: { title: 'PostgreSQL', usual: 5433 },
  temporal: { title: 'Temporal', usual: 7233 },
  temporalUi: { title: 'Temporal UI', usual: 8233 },
  codec: { title: 'codec server', usual: 8234, setting: 'CODEC_SERVER_PORT' },
  metrics: { title: 'metrics', usual: undefined, setting: 'METRICS_PORT' },
} satisfies Record<string, LocalServer>;

/** How many ports from `PORT_BASE` on are this stack's. */
export const PORTS_IN_A_ROW = Object.keys(localServers).length;

export type LocalServerName = keyof typeof localServers;

/** The port of each server. */
type LocalPorts = Readonly<Record<Exclude<LocalServerName, 'metrics'>, number>> & {
  readonly metrics: number | undefined;
};

interface Given {
  readonly PORT_BASE?: number | undefined;
  readonly PORT?: number | undefined;
  readonly CODEC_SERVER_PORT?: number | undefined;
  readonly METRICS_PORT?: number | undefined;
}

/** Where the servers of `npm start` listen. */
export function localPortsOf(given: Given): LocalPorts {
  const { PORT_BASE: base } = given;
  const entries = Object.entries<LocalServer>(localServers).map(
    ([name, { usual, setting }], place) => [
      name,
      (setting && given[setting]) ?? (base === undefined ? usual : base + place),
    ],
  );
  return Object.fromEntries(entries);
}
