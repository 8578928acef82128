/** What the id of a workflow says. */
export interface WorkflowTerm {
  readonly serialNumber?: string;
  readonly topupId?: number;
  readonly redemptionId?: number;
  readonly operationId?: string;
  readonly caseId?: number;
  /** What the workflow does, where its id names no operation. */
  readonly about?: string;
}

interface WorkflowName {
  readonly id: RegExp;
  readonly about?: string;
}

const OPERATION = '(?<operationId>[0-9a-f]{32})';
const ID = '[1-9][0-9]{0,14}';

/** About one voucher, one top-up, or one order of vouchers. */
const ofCustomers: readonly WorkflowName[] = [
  { id: /^claim:(?<serialNumber>[0-9]{18})(:[0-9a-f]+)?$/i },
  { id: new RegExp(`^top-up:(?<topupId>${ID}):[0-9a-f]+$`, 'i') },
  { id: new RegExp(`^reverse:(?<redemptionId>${ID}):[0-9a-f]+$`, 'i') },
  { id: new RegExp(`^(repair|generate-bulk):${ID}:${OPERATION}$`, 'i') },
  {
    id: new RegExp(
      `^(((generate|cancel)-voucher|(resend|finish)-message):|redeem-voucher:unclaimed-)${OPERATION}$`,
      'i',
    ),
  },
  // Behind the task queue of the workers.
  {
    id: new RegExp(`^case:[^:]+:(?<caseId>${ID})$`, 'i'),
    about: 'A case of no voucher or top-up: see Open cases.',
  },
];

/** About a company, a provider or the whole service. */
const ofService: readonly WorkflowName[] = [
  { id: /^case:due-vouchers:/i, about: 'Vouchers of one partner that are due and cannot expire.' },
  { id: /^case:refused-rows:/i, about: 'Rows that the database refuses to end when they are due.' },
  { id: /^case:books:/i, about: 'The books do not agree: an operator looks for the fault.' },
  { id: /^expire-vouchers:/i, about: 'The sweep that ends due vouchers, claims and top-ups.' },
  { id: /^reconcile:/i, about: 'The reconciliation of money on hold, workflows and providers.' },
  { id: /^check-books:/i, about: 'The nightly check of all books.' },
  {
    id: /^check-payout-account:/i,
    about: 'The question to providers about the account of a merchant: see Payout accounts.',
  },
  { id: /^compare-statements:/i, about: 'The daily comparison with the statements of providers.' },
  { id: /^watch-balances:/i, about: 'The watch on our balances at providers.' },
  { id: /^invite-merchant:/i, about: 'The invitation of a merchant to the portal.' },
  { id: /^tell-owners:/i, about: 'The e-mail to a company about its changed access.' },
  { id: /^send-statements:/i, about: 'The monthly statements by e-mail.' },
  { id: /^send-day-reports:/i, about: 'The day reports by e-mail.' },
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
