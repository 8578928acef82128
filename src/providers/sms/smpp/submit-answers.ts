import smpp from 'smpp';
import type { ProviderOutcome } from '../../outcome.ts';

/** `refused-account`: for a reason of our account there, or of how it wants messages. */
type Kind = 'refused' | 'refused-account' | 'refused-for-now' | 'throttled' | 'not-bound';

/**
 * What a command_status of submit_sm proves (SMPP 3.4, 5.1.3). A status that is not here, such as a
 * system error or a vendor's own, proves nothing: the message may have been taken.
 */
const statuses: Readonly<Record<string, Kind>> = {
  ESME_RINVMSGLEN: 'refused-account',
  ESME_RINVCMDLEN: 'refused-account',
  ESME_RINVCMDID: 'refused-account',
  ESME_RINVBNDSTS: 'not-bound',
  ESME_RINVPRTFLG: 'refused-account',
  ESME_RINVREGDLVFLG: 'refused-account',
  ESME_RINVSRCADR: 'refused-account',
  ESME_RINVDSTADR: 'refused',
  ESME_RMSGQFUL: 'throttled',
  ESME_RINVSERTYP: 'refused-account',
  ESME_RINVESMCLASS: 'refused-account',
  ESME_RSUBMITFAIL: 'refused-for-now',
  ESME_RINVSRCTON: 'refused-account',
  ESME_RINVSRCNPI: 'refused-account',
  ESME_RINVDSTTON: 'refused-account',
  ESME_RINVDSTNPI: 'refused-account',
  ESME_RINVSYSTYP: 'refused-account',
  ESME_RINVREPFLAG: 'refused-account',
  ESME_RTHROTTLED: 'throttled',
  ESME_RINVSCHED: 'refused-account',
  ESME_RINVEXPIRY: 'refused-account',
  ESME_RINVDFTMSGID: 'refused-account',
  ESME_RX_T_APPN: 'refused-for-now',
  ESME_RX_P_APPN: 'refused',
  ESME_RX_R_APPN: 'refused',
  ESME_RINVTLVSTREAM: 'refused-account',
  ESME_RTLVNOTALLWD: 'refused-account',
  ESME_RINVTLVLEN: 'refused-account',
  ESME_RMISSINGTLV: 'refused-account',
  ESME_RINVTLVVAL: 'refused-account',
  ESME_RSERTYPUNAUTH: 'refused-account',
  ESME_RPROHIBITED: 'refused-account',
  ESME_RSERTYPUNAVAIL: 'refused-for-now',
  ESME_RSERTYPDENIED: 'refused-account',
  ESME_RINVDCS: 'refused-account',
};

const names = new Map(Object.entries(smpp.errors).map(([name, status]) => [status, name]));

/** The name of a command_status, or its number. */
export const statusName = (status: number): string =>
  names.get(status)?.replace(/^ESME_/, '') ?? `0x${status.toString(16).padStart(8, '0')}`;

/** Whether the SMSC asks for fewer messages. */
export const isThrottling = (status: number): boolean =>
  statuses[names.get(status) ?? ''] === 'throttled';

/** The outcome of a submit_sm that was answered. Delivered means accepted by the SMSC. */
export function outcomeOfAnswer(
  status: number,
  messageId: unknown,
  pauseSeconds: number,
): ProviderOutcome {
  if (status === 0) return { kind: 'delivered', providerReference: readableId(messageId) };
  const name = statusName(status);
  switch (statuses[names.get(status) ?? '']) {
    case 'refused':
      return refused(name, { retryCanHelp: false });
    case 'refused-account':
      return refused(name, { retryCanHelp: false, anotherMayTake: true });
    case 'refused-for-now':
      return refused(name, { retryCanHelp: true });
    case 'throttled':
      return {
        kind: 'not-sent',
        message: `Too many messages: ${name}.`,
        retryAfterSeconds: pauseSeconds,
      };
    case 'not-bound':
      return { kind: 'not-sent', message: `The SMSC did not take it: ${name}.` };
    default:
      return { kind: 'unknown', message: `The SMSC answered ${name}.` };
  }
}

const refused = (
  name: string,
  refusal: { readonly retryCanHelp: boolean; readonly anotherMayTake?: true },
): ProviderOutcome => ({
  kind: 'refused',
  code: name,
  message: `The SMSC refused it: ${name}.`,
  ...refusal,
});

/**
 * The visible characters that an id begins with. The library reads a TLV to the next zero octet, beyond
 * its length where its SMSC does not end it with one.
 */
export const readableId = (id: unknown): string =>
  typeof id === 'string' ? (/^[\x21-\x7e]{1,65}/.exec(id)?.[0] ?? '') : '';
