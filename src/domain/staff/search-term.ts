import { parseMsisdn } from '../phone.js';
import { parseVoucherCode } from '../vouchers/voucher-code.js';

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
  /** Our reference of a payment or a reversal towards a provider. */
  readonly uuid?: string;
  readonly operationId?: string;
  /** Our reference of a redemption or an attempt, or the provider's. */
  readonly reference?: string;
}

const LONGEST = 100;
const SERIAL_NUMBER = /^[0-9]{18}$/;
const ID = /^[1-9][0-9]{0,14}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OPERATION = /^[0-9a-f]{32}$/i;
/** As we and providers write references. */
const REFERENCE = /^[\w.:/-]{3,64}$/;
/** Begins our reference of a redemption. */
const OUR_REFERENCE = 'RDM-';
/** The ids of workflows (workflows/workflow-ids.ts). */
const WORKFLOWS = [
  /^claim:(?<serialNumber>[0-9]{18})(:[0-9a-f]+)?$/,
  /^top-up:(?<topupId>[1-9][0-9]{0,14}):[0-9a-f]+$/,
  /^reverse:(?<redemptionId>[1-9][0-9]{0,14}):[0-9a-f]+$/,
  /^(generate-voucher:|redeem-voucher:unclaimed-|top-up:)(?<operationId>[0-9a-f]{32})$/,
];

/** Reads whatever a customer or a provider has given; undefined where it can be nothing of ours. */
export function readSearchTerm(given: string): SearchTerm | undefined {
  const text = given.trim();
  if (text === '' || text.length > LONGEST) return undefined;
  const ofWorkflow = WORKFLOWS.map((one) => one.exec(text)?.groups).find(Boolean);
  if (ofWorkflow) {
    const { serialNumber, topupId, redemptionId, operationId } = ofWorkflow;
    return {
      ...(serialNumber && { serialNumber }),
      ...(topupId && { topupId: Number(topupId) }),
      ...(redemptionId && { redemptionId: Number(redemptionId) }),
      ...(operationId && { operationId }),
    };
  }
  const digits = text.replace(/[\s-]/g, '');
  const msisdn = parseMsisdn(text);
  const voucherCode = parseVoucherCode(text);
  const term: SearchTerm = {
    ...(msisdn !== undefined && { msisdn }),
    ...(voucherCode !== undefined && { voucherCode }),
    ...(SERIAL_NUMBER.test(digits) && { serialNumber: digits }),
    ...(ID.test(text) && { topupId: Number(text) }),
    ...(UUID.test(text) && { uuid: text.toLowerCase() }),
    ...(OPERATION.test(text) && { operationId: text.toLowerCase() }),
    ...(REFERENCE.test(text) && voucherCode === undefined && { reference: text }),
  };
  return Object.keys(term).length === 0 ? undefined : term;
}

/** Below it an id has fewer digits than a number without its zero, so it is none that was mistyped. */
const SHORTEST_NUMBER = 100_000_000;

const isPlainId = (id: number | undefined): boolean => id !== undefined && id < SHORTEST_NUMBER;

/**
 * The term for the audit log: never a code, and a number only as its keyed hash, as all that may be a
 * mistyped number or code.
 */
export function auditedTerm(
  term: SearchTerm | undefined,
  hashOf: (text: string) => string,
): Readonly<Record<string, unknown>> {
  if (term === undefined) return { by: 'unknown text' };
  const { msisdn, voucherCode, reference, topupId, ...others } = term;
  const plain = { ...others, ...(isPlainId(topupId) && { topupId }) };
  if (msisdn !== undefined) return { by: 'number', numberHash: hashOf(msisdn) };
  if (voucherCode !== undefined) return { by: 'voucher code' };
  const isOurs = reference === undefined || reference.startsWith(OUR_REFERENCE);
  if (isOurs) return { by: 'reference', ...plain, ...(reference && { reference }) };
  return Object.keys(plain).length > 0
    ? { by: 'reference', ...plain }
    : { by: 'reference', referenceHash: hashOf(reference) };
}
