import smpp from 'smpp';
import type { ProviderOutcome } from '../../outcome.js';

type Kind = 'refused' | 'refused-for-now' | 'throttled' | 'not-bound';

/**
 * What a command_status of submit_sm proves (SMPP 3.4, 5.1.3). A status that is not here, such as a
 * system error or a vendor's own, proves nothing: the message may have been taken.
 */
const statuses: Readonly<Record<string, Kind>> = {
  ESME_RINVMSGLEN: 'refused',
  ESME_RINVCMDLEN: 'refused',
  ESME_RINVCMDID: 'refused',
  ESME_RINVBNDSTS: 'not-bound',
  ESME_RINVPRTFLG: 'refused',
  ESME_RINVREGDLVFLG: 'refused',
  ESME_RINVSRCADR: 'refused',
  ESME_RINVDSTADR: 'refused',
  ESME_RMSGQFUL: 'throttled',
  ESME_RINVSERTYP: 'refused',
  ESME_RINVESMCLASS: 'refused',
  ESME_RSUBMITFAIL: 'refused-for-now',
  ESME_RINVSRCTON: 'refused',
  ESME_RINVSRCNPI: 'refused',
  ESME_RINVDSTTON: 'refused',
  ESME_RINVDSTNPI: 'refused',
  ESME_RINVSYSTYP: 'refused',
  ESME_RINVREPFLAG: 'refused',
  ESME_RTHROTTLED: 'throttled',
  ESME_RINVSCHED: 'refused',
  ESME_RINVEXPIRY: 'refused',
  ESME_RINVDFTMSGID: 'refused',
  ESME_RX_T_APPN: 'refused-for-now',
  ESME_RX_P_APPN: 'refused',
  ESME_RX_R_APPN: 'refused',
  ESME_RINVTLVSTREAM: 'refused',
  ESME_RTLVNOTALLWD: 'refused',
  ESME_RINVTLVLEN: 'refused',
  ESME_RMISSINGTLV: 'refused',
  ESME_RINVTLVVAL: 'refused',
  ESME_RSERTYPUNAUTH: 'refused',
  ESME_RPROHIBITED: 'refused',
  ESME_RSERTYPUNAVAIL: 'refused-for-now',
  ESME_RSERTYPDENIED: 'refused',
  ESME_RINVDCS: 'refused',
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
      return {
        kind: 'refused',
        code: name,
        message: `The SMSC refused it: ${name}.`,
        retryCanHelp: false,
      };
    case 'refused-for-now':
      return {
        kind: 'refused',
        code: name,
        message: `The SMSC refused it: ${name}.`,
        retryCanHelp: true,
      };
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

/**
 * The visible characters that an id begins with. The library reads a TLV to the next zero octet, beyond
 * its length where its SMSC does not end it with one.
 */
export const readableId = (id: unknown): string =>
  typeof id === 'string' ? (/^[\x21-\x7e]{1,65}/.exec(id)?.[0] ?? '') : '';
