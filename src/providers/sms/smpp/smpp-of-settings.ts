import type { SettingsOf } from '../../settings-of.ts';
import { createSmpp, type SmppEvents, type SmppSender } from './client.ts';

/** A process that does not hear receipts leaves them to the others. */
const withoutReceipts: SmppEvents = {
  record: () => Promise.reject(new Error('this process records no receipts')),
  note: () => {},
};

const DEFAULT_PORTS = { 'smpp:': 2775, 'smpps:': 3550 } as const;

/** A session with the SMSC, or undefined where the settings do not configure it. */
export function smppOfSettings(
  config: SettingsOf<'SMPP'>,
  events: SmppEvents = withoutReceipts,
): SmppSender | undefined {
  const { SMPP_URL, SMPP_SYSTEM_ID: systemId, SMPP_PASSWORD: password } = config;
  if (SMPP_URL === undefined || systemId === undefined || password === undefined) return undefined;
  const { protocol, hostname, port } = new URL(SMPP_URL);
  const halfMs = (config.SMPP_TIMEOUT_SECONDS * 1_000) / 2;
  return createSmpp(
    {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || DEFAULT_PORTS[protocol as keyof typeof DEFAULT_PORTS],
      tls: protocol === 'smpps:',
      ca: config.SMPP_CA,
      systemId,
      password,
      systemType: config.SMPP_SYSTEM_TYPE,
      sender: config.SMPP_SENDER,
      waitMs: halfMs,
      timeoutMs: halfMs,
      windowSize: config.SMPP_WINDOW,
      enquireLinkMs: config.SMPP_ENQUIRE_LINK_SECONDS * 1_000,
      firstPauseMs: config.SMPP_RECONNECT_SECONDS * 1_000,
      longestPauseMs: config.SMPP_RECONNECT_MAXIMUM_SECONDS * 1_000,
      throttlePauseMs: config.SMPP_THROTTLE_PAUSE_SECONDS * 1_000,
      receiptIds: config.SMPP_RECEIPT_IDS,
    },
    events,
  );
}
