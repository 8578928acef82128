import { plainCopy } from './copied-text.ts';
import { parseMsisdn } from './phone.ts';
import type { RepairSubject } from './repairs.ts';
import { parseVoucherCode } from './vouchers/voucher.ts';

/** Parts of providers' messages, and their meaning for the customer. */
const meanings: readonly (readonly [said: RegExp, meaning: string])[] = [
  [/does not exist|not registered|credit party customer type/i, 'the provider has no such account'],
  [
    /invalid.?credit.?party|invalid.?phone.?number|number is (invalid|not valid)|unsupported.?number/i,
    'the operator does not know this number',
  ],
  [
    /barred|banned|blacklist|do.?not.?disturb|incorrect.?state/i,
    'the number is blocked at its operator',
  ],
  [/maximum balance/i, 'the account would hold more than it may'],
  [
    /insufficient/i,
    'the money of the service at this provider is used up, and an operator must fill it up',
  ],
  [/limitations? on|limit rule|daily limit/i, 'a limit of the operator is reached'],
  [/recently recharged|was recharged/i, 'the number got a top-up a moment ago'],
  [/amount.*(not valid|out of range)/i, 'the operator does not take this amount'],
  [/absent.?subscriber/i, 'the phone is switched off or out of reach'],
  [/credentials were not accepted|api key was not accepted/i, 'the provider does not let us in'],
  [
    /currently.?unavailable|service.?unavailable|internal|gateway|exception|could not route/i,
    'a fault at the provider or the operator, which may pass',
  ],
];

/**
 * The meaning of a provider's message; undefined where it is not known, or the message is plain
 * enough.
 */
export const plainWords = (words: string): string | undefined =>
  meanings.find(([said]) => said.test(words))?.[1];

/** The meaning of a workflow's id. */
interface WorkflowTerm {
  readonly serialNumber?: string;
  /** The number of a top-up, which partners know as transactionId. */
  readonly topupId?: number;
  readonly redemptionId?: number;
  readonly operationId?: string;
  /** Of a case that a person must settle. */
  readonly caseId?: number;
  /** The task of the workflow, where its id names no operation. */
  readonly about?: string;
}

interface WorkflowName {
  readonly id: RegExp;
  readonly about?: string;
}

const OPERATION_PATTERN = '(?<operationId>[0-9a-f]{32})';
const ID_PATTERN = '[1-9][0-9]{0,14}';

/** About one voucher, one top-up, or one order of vouchers. */
const ofCustomers: readonly WorkflowName[] = [
  { id: /^claim:(?<serialNumber>[0-9]{18})(:[0-9a-f]+)?$/i },
  { id: new RegExp(`^top-up:(?<topupId>${ID_PATTERN}):[0-9a-f]+$`, 'i') },
  { id: new RegExp(`^reverse:(?<redemptionId>${ID_PATTERN}):[0-9a-f]+$`, 'i') },
  { id: new RegExp(`^(repair|generate-bulk):${ID_PATTERN}:${OPERATION_PATTERN}$`, 'i') },
  {
    id: new RegExp(
      `^(((generate|cancel)-voucher|(resend|finish)-message):|redeem-voucher:unclaimed-)${OPERATION_PATTERN}$`,
      'i',
    ),
  },
  // Behind the task queue of the workers.
  {
    id: new RegExp(`^case:[^:]+:(?<caseId>${ID_PATTERN})$`, 'i'),
    about: 'A case of no voucher or top-up: see Open cases.',
  },
];

/** About a company, a provider or the whole service. */
const ofService: readonly WorkflowName[] = [
  { id: /^case:due-vouchers:/i, about: 'Vouchers of one partner that are due and cannot expire.' },
  { id: /^case:refused-rows:/i, about: 'Rows that the database refuses to end when they are due.' },
  { id: /^case:books:/i, about: 'The books do not agree: an operator looks for the fault.' },
  { id: /^expire-vouchers:/i, about: 'The expiry run that ends due vouchers, claims and top-ups.' },
  { id: /^reconcile:/i, about: 'The reconciliation of money on hold, workflows and providers.' },
  { id: /^archive-ledger:/i, about: 'The nightly archive of old transfers.' },
  { id: /^check-books:/i, about: 'The nightly check of all books.' },
  {
    id: /^check-payout-account:/i,
    about: 'The question to providers about the account of a merchant: see Payout accounts.',
  },
  { id: /^compare-statements:/i, about: 'The daily comparison with the statements of providers.' },
  { id: /^watch-balances:/i, about: 'The watch on our balances at providers.' },
  { id: /^webhooks:/i, about: 'The calls to the webhook of a company.' },
];

/** Reads the id of any workflow (workflows/workflow-ids.ts); undefined for another text. */
export function readWorkflowId(text: string): WorkflowTerm | undefined {
  for (const { id, about } of [...ofCustomers, ...ofService]) {
    const found = id.exec(text);
    if (!found) continue;
    const { serialNumber, topupId, redemptionId, operationId, caseId } = found.groups ?? {};
    return {
      ...(serialNumber && { serialNumber }),
      ...(topupId && { topupId: Number(topupId) }),
      ...(redemptionId && { redemptionId: Number(redemptionId) }),
      ...(operationId && { operationId: operationId.toLowerCase() }),
      ...(caseId && { caseId: Number(caseId) }),
      ...(about && { about }),
    };
  }
  return undefined;
}

/** The possible meanings of a searched text; one text may have several. */
export interface SearchTerm extends WorkflowTerm {
  /** E.164 */
  readonly msisdn?: string;
  /** In its canonical form. */
  readonly voucherCode?: string;
  readonly repairId?: number;
  readonly bulkOrderId?: number;
  /** A part of the name or the e-mail address of a company or a person, or what identifies a company. */
  readonly name?: string;
  /** Our reference of a payment or a reversal towards a provider, or the X-Request-Id of a call. */
  readonly uuid?: string;
  /** A reference of ours, of a provider, of a partner's line, of a deposit or a goodwill credit. */
  readonly reference?: string;
}

/** The longest text that is looked for. */
export const LONGEST_SEARCH = 200;
const SERIAL_NUMBER = /^[0-9]{18}$/;
const ID = /^[1-9][0-9]{0,14}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const OPERATION = /^[0-9a-f]{32}$/i;
/** Partners and banks choose references as they like. */
const PRINTABLE = /^[^\p{C}]+$/u;
/** Shorter texts are parts of too many names. */
const SHORTEST_NAME = 3;
/** The number of a row, as pages call it. */
const NUMBERED = /^(case|repair|bulk order|top-up)\s+#?([1-9][0-9]{0,14})$/i;
/** Our reference of a redemption, in any case. */
const OUR_REFERENCE = /^RDM-[0-9A-F]{16}$/i;

/** Reads whatever a customer or a provider has given; undefined where it can be nothing of ours. */
export function readSearchTerm(given: string): SearchTerm | undefined {
  const text = plainCopy(given);
  if (text.length > LONGEST_SEARCH || !PRINTABLE.test(text)) return undefined;
  return readWorkflowId(text) ?? readNumbered(text) ?? namesOf(text);
}

function readNumbered(text: string): SearchTerm | undefined {
  const [, kind = '', digits] = NUMBERED.exec(text) ?? [];
  const id = Number(digits);
  switch (kind.toLowerCase()) {
    case 'case':
      return { caseId: id };
    case 'repair':
      return { repairId: id };
    case 'bulk order':
      return { bulkOrderId: id };
    case 'top-up':
      return { topupId: id };
    default:
      return undefined;
  }
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
    ...(voucherCode === undefined && msisdn === undefined && isName(text) && { name: text }),
  };
}

const isName = (text: string): boolean => text.length >= SHORTEST_NAME && /\p{L}/u.test(text);

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
  const { msisdn, voucherCode, reference, topupId, about, name: _name, ...others } = term;
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

/** Providers tell nearly all outcomes by then, without a person. */
const PATIENCE_MS = 10 * 60_000;

/** Whether an outcome may still come by itself, by the time at which the provider was asked. */
export const mayStillComeByItself = (askedAt: Date, now: Date): boolean =>
  now.getTime() - askedAt.getTime() < PATIENCE_MS;

/**
 * The kinds of what waits for a person of the service, the most urgent first, with their titles. A code that does not
 * come keeps a customer waiting at the till, until the claim runs out.
 */
export const deskKinds = {
  'undelivered-code': 'Code not delivered',
  unknown: 'Outcome unknown',
  repair: 'Repair to confirm',
  'refused-payment': 'Payment refused',
  case: 'Open case',
  'low-wallet': 'Low wallet',
  'failing-webhook': 'Failing webhook',
  'late-statement': 'Late provider statement',
} as const;
export type DeskKind = keyof typeof deskKinds;

/** The roles of people of the service: each includes the previous role. */
export const staffRoles = ['AGENT', 'SUPERVISOR', 'OPERATOR'] as const;
export type StaffRole = (typeof staffRoles)[number];

/**
 * What a page for staff needs. `own`: the person's own account. `look`: find and read cases and
 * companies. `ask`: ask for a repair. `confirm`: confirm what somebody else asked for. `help`: let people of
 * companies try to sign in again, and send invitations again, which gives staff no access. `operate`: everything
 * else.
 */
export type StaffNeed = 'own' | 'look' | 'ask' | 'confirm' | 'help' | 'operate';

const allowed: Readonly<Record<StaffNeed, readonly StaffRole[]>> = {
  own: staffRoles,
  look: staffRoles,
  ask: staffRoles,
  confirm: ['SUPERVISOR', 'OPERATOR'],
  help: ['SUPERVISOR', 'OPERATOR'],
  operate: ['OPERATOR'],
};

/** Whether a role of staff may use a page. */
export const mayAsStaff = (role: StaffRole, need: StaffNeed): boolean =>
  allowed[need].includes(role);

/** Subjects whose repairs give money of the platform, or take money of a partner. */
const ofOperators: readonly RepairSubject[] = ['deposit', 'partner', 'case'];

/** What a person needs to ask for a repair of this subject. Confirming a repair needs `confirm`. */
export const needToAsk = (subject: RepairSubject): StaffNeed =>
  ofOperators.includes(subject) ? 'operate' : 'ask';

/** The roles of staff in words for people. */
export const staffRoleMeanings: Readonly<Record<StaffRole, string>> = {
  AGENT: 'find and read cases and companies, and ask for repairs',
  SUPERVISOR: 'also confirm repairs of others, unlock people of companies and invite them again',
  OPERATOR: 'everything',
};

/** A person of the service who has signed in. */
export interface Staff {
  /** The id of the account. */
  readonly id: number;
  readonly name: string;
  readonly role: StaffRole;
}
