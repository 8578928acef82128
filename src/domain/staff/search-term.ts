import { plainCopy } from '../copied-text.ts';
import { parseMsisdn } from '../phone.ts';
import { parseVoucherCode } from '../vouchers/voucher-code.ts';
import { readWorkflowId } from './workflow-terms.ts';

/** What a text that somebody looks for may be; one text may be several things. */
export interface SearchTerm {
  /** E.164 */
  readonly msisdn?: string;
  /** In its canonical form. */
  readonly voucherCode?: string;
  readonly serialNumber?: string;
  /** The number of a top-up, which partners know as transactionId. */
  readonly topupId?: number;
  readonly redemptionId?: number;
  /** Of a case that a person must settle. */
  readonly caseId?: number;
  /** Our reference of a payment or a reversal towards a provider, or the X-Request-Id of a call. */
  readonly uuid?: string;
  readonly operationId?: string;
  /** A reference of ours, of a provider, of a partner's line, of a deposit or a goodwill credit. */
  readonly reference?: string;
  /** What a workflow does that is about no single voucher or top-up. */
  readonly about?: string;
}

/** The longest text that is looked for. */
export const LONGEST_SEARCH = 200;
const SERIAL_NUMBER = /^[0-9]{18}$/;
const ID = /^[1-9][0-9]{0,14}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OPERATION = /^[0-9a-f]{32}$/i;
/** Partners and banks choose references as they like. */
const PRINTABLE = /^[^\p{C}]+$/u;
/** Our reference of a redemption, in any case. */
const OUR_REFERENCE = /^RDM-[0-9A-F]{16}$/i;

/** Reads whatever a customer or a provider has given; undefined where it can be nothing of ours. */
export function readSearchTerm(given: string): SearchTerm | undefined {
  const text = plainCopy(given);
  if (text.length > LONGEST_SEARCH || !PRINTABLE.test(text)) return undefined;
  return readWorkflowId(text) ?? namesOf(text);
}

function namesOf(text: string): SearchTerm {
  const digits = text.replace(/[ -]/g, '');
  const msisdn = parseMsisdn(text);
  const voucherCode = parseVoucherCode(text);
  return {
    ...(msisdn !== undefined && { msisdn }),
    ...(voucherCode !== undefined && { voucherCode }),
    ...(SERIAL_NUMBER.test(digits) && { serialNumber: digits }),
    ...(ID.test(text) && { topupId: Number(text) }),
    ...(UUID.test(text) && { uuid: text.toLowerCase() }),
    ...(OPERATION.test(text) && { operationId: text.toLowerCase() }),
    ...(voucherCode === undefined && { reference: text }),
  };
}

/** The ways in which a reference may be stored: people read it out, or type it in the other case. */
export const spellingsOf = (reference: string): readonly string[] => [
  ...new Set([reference, reference.toUpperCase(), reference.toLowerCase()]),
];

/** Below it an id has fewer digits than a number without its zero, so it is none that was mistyped. */
const SHORTEST_NUMBER = 100_000_000;

const isPlainId = (id: number | undefined): boolean => id !== undefined && id < SHORTEST_NUMBER;

/**
 * The term for the audit log: never a code, and a number only as its keyed hash, as all that may be a
 * mistyped number or code. Digits that find nothing may be a verification code.
 */
export function auditedTerm(
  term: SearchTerm | undefined,
  hashOf: (text: string) => string,
  isFound: boolean,
): Readonly<Record<string, unknown>> {
  if (term === undefined) return { by: 'unknown text' };
  const { msisdn, voucherCode, reference, topupId, about, ...others } = term;
  const plain = { ...others, ...(isFound && isPlainId(topupId) && { topupId }) };
  if (msisdn !== undefined) return { by: 'number', numberHash: hashOf(msisdn) };
  if (voucherCode !== undefined) return { by: 'voucher code' };
  if (about !== undefined && Object.keys(plain).length === 0) return { by: 'workflow', about };
  const isOurs = reference === undefined || OUR_REFERENCE.test(reference);
  if (isOurs) return { by: 'reference', ...plain, ...(reference && { reference }) };
  return Object.keys(plain).length > 0
    ? { by: 'reference', ...plain }
    : { by: 'reference', referenceHash: hashOf(reference) };
}
