export interface TemporalArguments {
  readonly port: number;
  /** Without it there is no UI. */
  readonly uiPort?: number | undefined;
  /** Without it the server keeps everything in memory. */
  readonly databaseFile?: string | undefined;
  /** The codec server of the UI. */
  readonly codecEndpoint?: string | undefined;
  /** Created in addition to `default`. */
  readonly namespaces: readonly string[];
  /** Settings of the server in addition to the service's. */
  readonly dynamicConfig?: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Tuned for low latency on one small machine; with the defaults a workflow of one step takes 150
 * ms.
 */
const DYNAMIC_CONFIG = {
  // One partition: with four, a task can wait in one while workers poll another.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  // The default of 20 polls a second for the only shard makes each step of a workflow wait 50 ms.
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  // Repetitions of a redemption wait on one workflow; the default refuses the eleventh.
  'history.maxInFlightUpdates': 1000,
};

/** The command line of the development server, listening on loopback only. */
export function temporalArguments(options: TemporalArguments): string[] {
  const { port, uiPort, databaseFile, codecEndpoint, namespaces } = options;
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', `${port}`, '--log-level', 'warn'],
    ...['--disable-config-file', '--disable-config-env'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', `${uiPort}`]),
    ...(uiPort === undefined || codecEndpoint === undefined
      ? []
      : ['--ui-codec-endpoint', codecEndpoint]),
    ...(databaseFile === undefined
      ? []
      : [
          ...['--db-filename', databaseFile],
          ...['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1'],
        ]),
    ...namespaces.flatMap((name) => ['--namespace', name]),
    ...Object.entries({ ...DYNAMIC_CONFIG, ...options.dynamicConfig }).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}
