import type { TLSConfig } from '@temporalio/client';

/** The connection data of a Temporal server. */
export interface TemporalServer {
  /** `host:port` */
  readonly address: string;
  readonly namespace: string;
  readonly tls?: TLSConfig | boolean;
  readonly apiKey?: string;
}

interface TemporalSettings {
  readonly TEMPORAL_ADDRESS: string;
  readonly TEMPORAL_NAMESPACE: string;
  readonly TEMPORAL_TLS?: 'on' | 'off';
  readonly TEMPORAL_TLS_CA?: Buffer | undefined;
  readonly TEMPORAL_TLS_CERT?: Buffer | undefined;
  readonly TEMPORAL_TLS_KEY?: Buffer | undefined;
  readonly TEMPORAL_TLS_SERVER_NAME?: string | undefined;
  readonly TEMPORAL_API_KEY?: string | undefined;
}

/** Whether the connection is encrypted: with any TLS setting, and with an API key. */
export const usesTls = (
  settings: Omit<TemporalSettings, 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE'>,
) =>
  settings.TEMPORAL_TLS === 'on' ||
  settings.TEMPORAL_TLS_CA !== undefined ||
  settings.TEMPORAL_TLS_CERT !== undefined ||
  settings.TEMPORAL_TLS_SERVER_NAME !== undefined ||
  settings.TEMPORAL_API_KEY !== undefined;

/** The server of the settings. */
export function temporalServerOf(settings: TemporalSettings): TemporalServer {
  const { TEMPORAL_TLS_CA, TEMPORAL_TLS_CERT, TEMPORAL_TLS_KEY, TEMPORAL_TLS_SERVER_NAME } =
    settings;
  const tls: TLSConfig = {
    ...(TEMPORAL_TLS_CA ? { serverRootCACertificate: TEMPORAL_TLS_CA } : {}),
    ...(TEMPORAL_TLS_SERVER_NAME ? { serverNameOverride: TEMPORAL_TLS_SERVER_NAME } : {}),
    ...(TEMPORAL_TLS_CERT && TEMPORAL_TLS_KEY
      ? { clientCertPair: { crt: TEMPORAL_TLS_CERT, key: TEMPORAL_TLS_KEY } }
      : {}),
  };
  return {
    address: settings.TEMPORAL_ADDRESS,
    namespace: settings.TEMPORAL_NAMESPACE,
    ...(usesTls(settings) ? { tls } : {}),
    ...(settings.TEMPORAL_API_KEY ? { apiKey: settings.TEMPORAL_API_KEY } : {}),
  };
}
