import { randomBytes } from 'node:crypto';
import smpp, { type PDU } from 'smpp';
import type { SmsBehaviour } from '../behaviours.ts';
import type { Books } from '../books.ts';
import type { Waiting } from '../delays.ts';
import { announceReports, type ReportState } from '../delivery-reports.ts';
import type { Faults, ProviderFault } from '../faults/provider-faults.ts';
import { canonicalNumber, isE164 } from '../phone-number.ts';
import { delaySecondsOf, smsBehaviour } from '../scenarios.ts';

export interface SmscParts {
  readonly books: Books;
  readonly waiting: Waiting;
  readonly faults: Faults;
}

export interface SentReceipt {
  readonly id: string;
  /** The number of the phone, without a plus sign. */
  readonly from: string;
  readonly to: string;
  readonly state: ReportState;
}

/** The answer to a message; `octets` are no PDU, and `silence` is none. */
type Taken =
  | { readonly status: number | undefined; readonly id?: string }
  | { readonly octets: string }
  | 'dropped'
  | 'silence';

/** What a tester has set for every message: answers without taking it, and after taking it. */
const unread: Partial<Record<ProviderFault['answers'], string>> = {
  'not-authorised': 'ESME_RINVBNDSTS',
  'too-many-requests': 'ESME_RTHROTTLED',
  unavailable: 'ESME_RSYSERR',
};
const garbled: Partial<Record<ProviderFault['answers'], Taken>> = {
  garbage: { octets: '\u0000\u0000\u0000\u0014\u0000' },
  'other-types': { octets: '\u0000\u0000\u0000\u0011' },
  empty: { octets: '\u0000\u0000\u0000\u0000' },
  redirect: { octets: 'HTTP/1.1 307 Temporary Redirect' },
  html: { octets: '<!doctype html><h1>We are improving for you</h1>' },
  huge: { octets: '\u0000\u0050\u0000\u0000' },
  'slow-drip': 'silence',
};

/** The command_status of each behaviour. */
const statuses: Readonly<Record<SmsBehaviour['answer'], string>> = {
  queued: 'ESME_ROK',
  'invalid-number': 'ESME_RINVDSTADR',
  blacklisted: 'ESME_RPROHIBITED',
  'gateway-error': 'ESME_RSUBMITFAIL',
  rejected: 'ESME_RX_R_APPN',
  'internal-error': 'ESME_RSYSERR',
  'no-recipients': 'ESME_RINVSRCADR',
  'connection-dropped': 'ESME_ROK',
  unavailable: 'ESME_RSYSERR',
  'too-many-requests': 'ESME_RTHROTTLED',
  'not-authorised': 'ESME_RINVBNDSTS',
};

/** Takes a message as its number demands, and sends its receipts if they were asked for. */
export async function takeMessage(
  pdu: PDU,
  parts: SmscParts,
  sendReceipt: (receipt: SentReceipt) => Promise<void>,
): Promise<Taken> {
  const fault = parts.faults.of('smpp');
  await parts.waiting.pause(fault.slowSeconds);
  const refusal = unread[fault.answers];
  if (refusal !== undefined) return { status: smpp.errors[refusal] };
  const taken = await takeByNumber(pdu, parts, (receipt) =>
    fault.losesCallbacks ? Promise.resolve() : sendReceipt(receipt),
  );
  return fault.dropsAnswers ? 'dropped' : (garbled[fault.answers] ?? taken);
}

async function takeByNumber(
  pdu: PDU,
  { books, waiting }: SmscParts,
  sendReceipt: (receipt: SentReceipt) => Promise<void>,
): Promise<Taken> {
  const to = `+${pdu.destination_addr}`;
  if (!isE164(to)) return { status: smpp.errors.ESME_RINVDSTADR };
  const text = textOf(pdu);
  if (text === undefined) return { status: smpp.errors.ESME_RINVMSGLEN };

  await waiting.wait(delaySecondsOf(to));
  const behaviour = smsBehaviour(to);
  // The first digit is no zero: the service keeps no leading zeros, and its messages are looked up here.
  const id = (randomBytes(8).readBigUInt64BE() | (1n << 63n)).toString(16).toUpperCase();
  const from = String(pdu.source_addr || 'SANDBOX');
  if (behaviour.isReceived) books.receiveMessage({ provider: 'smpp', to, from, text, id });
  if (behaviour.answer === 'connection-dropped') return 'dropped';
  const status = smpp.errors[statuses[behaviour.answer]];
  if (behaviour.answer !== 'queued') return { status };
  if (pdu.registered_delivery)
    await announceReports(behaviour, waiting, (state) =>
      sendReceipt({ id, from: canonicalNumber(to).slice(1), to: from, state }),
    );
  return { status, id };
}

/** Octets that a message on the air carries; longer ones come in `message_payload`. */
const LONGEST_OCTETS = { 0: 160, 8: 140 } as const;

/** The text of a message; undefined where it has none, or one that is too long for its place. */
function textOf(pdu: PDU): string | undefined {
  const longest = pdu.data_coding === 8 ? LONGEST_OCTETS[8] / 2 : LONGEST_OCTETS[0];
  const short = contentOf(pdu.short_message);
  const long = contentOf(pdu.message_payload);
  if (short.length > longest || (short && long)) return undefined;
  return short || long || undefined;
}

const contentOf = (field: unknown): string =>
  String((field as { message?: unknown } | undefined)?.message ?? '');
