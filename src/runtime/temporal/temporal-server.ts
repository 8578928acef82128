import { connect } from 'node:net';
import type { TLSConfig } from '@temporalio/client';
import type { z } from 'zod';
import type { InCamelCase } from '../../config/setting-names.ts';
import type { temporalSettings } from '../../config/settings/deployment-settings.ts';

/** The connection data of a Temporal server. */
export interface TemporalServer {
  /** `host:port` */
  readonly address: string;
  readonly namespace: string;
  readonly tls?: TLSConfig | boolean;
  readonly apiKey?: string;
}

type TemporalSettings = InCamelCase<z.infer<z.ZodObject<typeof temporalSettings>>>;

/** Whether the connection is encrypted: with any TLS setting, and with an API key. */
export const usesTls = (settings: Partial<TemporalSettings>): boolean =>
  settings.temporalTls === 'on' ||
  settings.temporalTlsCa !== undefined ||
  settings.temporalTlsCert !== undefined ||
  settings.temporalTlsServerName !== undefined ||
  settings.temporalApiKey !== undefined;

/** The server of the settings. */
export function temporalServerOf(settings: TemporalSettings): TemporalServer {
  const { temporalTlsCa, temporalTlsCert, temporalTlsKey, temporalTlsServerName, temporalApiKey } =
    settings;
  const tls: TLSConfig = {
    ...(temporalTlsCa && { serverRootCACertificate: temporalTlsCa }),
    ...(temporalTlsServerName && { serverNameOverride: temporalTlsServerName }),
    ...(temporalTlsCert &&
      temporalTlsKey && { clientCertPair: { crt: temporalTlsCert, key: temporalTlsKey } }),
  };
  return {
    address: settings.temporalAddress,
    namespace: settings.temporalNamespace,
    ...(usesTls(settings) && { tls }),
    ...(temporalApiKey && { apiKey: temporalApiKey }),
  };
}

const PROBE_MS = 500;
const DEFAULT_PORT = 7233;

/** Whether a server accepts connections at `host:port`, soon. */
export const takesConnections = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(`tcp://${address}`);
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port || DEFAULT_PORT), timeout: PROBE_MS });
    const end = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
