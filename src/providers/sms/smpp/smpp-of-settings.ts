import type { ProviderSettings } from '../../../config/providers/provider-settings.ts';
import { createSmpp, type SmppEvents, type SmppSender } from './client.ts';

/** A process that does not hear receipts leaves them to the others. */
const withoutReceipts: SmppEvents = {
  record: () => Promise.reject(new Error('this process records no receipts')),
  note: () => {},
};

/** Pause between two signs of life. */
const ENQUIRE_LINK_SECONDS = 30;

/** A session with the SMSC, or undefined where the settings do not configure it. */
export function smppOfSettings(
  settings: ProviderSettings,
  events: SmppEvents = withoutReceipts,
): SmppSender | undefined {
  const { SMPP_URL: address } = settings;
  if (address === undefined) return undefined;
  // Half of it for a session and a place in the window, half for the answer.
  const halfMs = (settings.PROVIDER_TIMEOUT_SECONDS * 1_000) / 2;
  return createSmpp(
    {
      ...address,
      ca: settings.SMPP_CA,
      sender: settings.SMPP_SENDER,
      waitMs: halfMs,
      timeoutMs: halfMs,
      windowSize: settings.SMPP_WINDOW,
      enquireLinkMs: ENQUIRE_LINK_SECONDS * 1_000,
      firstPauseMs: settings.SMPP_RECONNECT_SECONDS * 1_000,
      longestPauseMs: settings.SMPP_RECONNECT_MAXIMUM_SECONDS * 1_000,
      throttlePauseMs: settings.SMPP_THROTTLE_PAUSE_SECONDS * 1_000,
      receiptIds: settings.SMPP_RECEIPT_IDS,
    },
    events,
  );
}
