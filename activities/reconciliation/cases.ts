import { log } from '@temporalio/activity';
import { checkChangedBooks } from '../../src/db/books/check-changes.ts';
import {
  findOpenCase,
  listOpenCases,
  noteUnbooked,
  type PaymentCase,
} from '../../src/db/reconciliation/cases.ts';
import { formatAmount, parseMoney } from '../../src/domain/money.ts';
import { statementAdvice } from '../../src/domain/provider-statements/break-types.ts';
import type { StartNames } from '../../src/temporal/workflow-starts.ts';
import type { CaseInput, CaseName } from '../../workflows/contracts.ts';
import { runUnhurried } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import { type CaseState, readDueVouchers, readRefusedRows } from './sweep-cases.ts';

/** Slightly below the timeout of the activity. */
const BOOKS_STATEMENT_TIMEOUT_MS = 290_000;
/** What is left then is for the next check. */
const BOOKS_CHECK_MS = 200_000;
const MAXIMUM_SHOWN = 20;

type PaymentCaseName = Extract<CaseName, { reference: string }>;

export function createCaseActivities({ database, caseStarter }: ActivityDependencies) {
  /**
   * Starts a workflow for each open case without one; returns the summaries of the started ones.
   * Inconsistent books are a case as well.
   */
  async function openCases(booksAreBroken: boolean): Promise<string[]> {
    const opened: string[] = [];
    for (const one of await listOpenCases(database)) {
      const description = `${names[one.kind]}: ${describe(one)}`;
      const name = { kind: one.kind, reference: one.reference };
      if (await caseStarter.start(name, description, namesOf(one))) opened.push(description);
    }
    if (booksAreBroken) await caseStarter.start({ kind: 'books' }, 'The books do not agree', {});
    return opened;
  }

  /** The state of a case. Operators settle cases in the database, which is authoritative. */
  const readCase = ({ name }: CaseInput): Promise<CaseState> =>
    withHeartbeat(() => {
      if (name.kind === 'books') return readBooks();
      if (name.kind === 'refused-rows') return readRefusedRows(database, name);
      return name.kind === 'due-vouchers' ? readDueVouchers(database, name) : readPayment(name);
    });

  async function readPayment(name: PaymentCaseName): Promise<CaseState> {
    const found = await findOpenCase(database, name);
    if (!found)
      return {
        isOpen: false,
        paragraphs: [`**Settled**: ${names[name.kind]}, ${name.reference}.`],
      };
    const partner = found.partnerId === null ? '' : `; partner ${found.partnerId}`;
    const facts = `${describe(found)}${partner}.`;
    return { isOpen: true, paragraphs: [`**${names[found.kind]}**: ${facts}`, advice(found)] };
  }

  async function readBooks(): Promise<CaseState> {
    // Every faulty row is looked at again until it is in order.
    const endsAt = Date.now() + BOOKS_CHECK_MS;
    const books = await runUnhurried(database, BOOKS_STATEMENT_TIMEOUT_MS, (connection) =>
      checkChangedBooks(connection, { endsAt }),
    );
    const { faults } = books;
    if (faults.length === 0 && books.isComplete)
      return { isOpen: false, paragraphs: ['**Settled**: the books agree again.'] };
    const listed = faults.slice(0, MAXIMUM_SHOWN).map((fault) => `- ${fault}`);
    return {
      isOpen: true,
      paragraphs: [
        `**The books do not agree**: ${faults.length} findings. See each with ` +
          '`npm run admin -- check-ledger`. Until then pay out nothing by hand.',
        listed.join('\n'),
      ],
    };
  }

  /** Records that a decided outcome cannot be booked, which opens a case. */
  async function noteUnbookedPayment(
    kind: 'redemption' | 'topup',
    operationId: string,
  ): Promise<void> {
    log.error('Could not book a decision of a provider', { kind, operationId });
    await noteUnbooked(database, kind, operationId);
  }

  return { openCases, readCase, noteUnbookedPayment };
}

/** What the workflow of a case is found by. */
const namesOf = ({
  partnerId,
  merchantId,
  serialNumber,
  topupId,
  references,
}: PaymentCase): StartNames => ({
  partnerId: partnerId ?? undefined,
  merchantId: merchantId ?? undefined,
  serialNumber: serialNumber ?? undefined,
  transactionId: topupId ?? undefined,
  references,
});

const names: Readonly<Record<PaymentCase['kind'], string>> = {
  'late-success': 'Done after it was refused',
  'double-delivery': 'Done by two providers',
  reversal: 'Taken back after it was done',
  disagreement: 'What the provider has is not clear',
  unbooked: 'Decided by the provider, and not booked',
  recovered: 'Made before a restore, and its rows are lost',
  break: 'Another entry in the statement of a provider',
  statement: 'The statement of a provider was not compared',
};

const describe = ({ kind, subject, amount, reference, provider }: PaymentCase): string =>
  kind === 'break' || kind === 'statement'
    ? subject
    : `${subject}, ETB ${formatAmount(parseMoney(amount))}, our reference ${reference}` +
      `${provider === null ? '' : ` at ${provider}`}`;

/** The remedy for a person. */
function advice({ kind, reference, words }: PaymentCase): string {
  switch (kind) {
    case 'late-success':
      return (
        'The service had returned the money, so nobody was charged; the amount is in the account ' +
        `*suspense*. ${words ?? ''} Agree with the partner that it pays, or with the provider that it ` +
        `reverses the delivery, then record it: \`npm run admin -- settle late-success ${reference} ` +
        '--by … --note …`. Do not retry it.'
      );
    case 'double-delivery':
      return (
        'A provider that had done nothing has done it after all, beside the one that was asked next: the ' +
        `amount stands once in the account *suspense*. ${words ?? ''} Ask the first provider to take it ` +
        'back, or agree with the partner that it pays, then record it: ' +
        `\`npm run admin -- settle double-delivery ${reference} --by … --note …\`.`
      );
    case 'reversal':
      return (
        'The provider returned the money, and it is in the account *suspense*; the company that paid ' +
        `does not have it. ${words ?? ''} Ask the provider why, agree with the partner, then record it: ` +
        `\`npm run admin -- settle reversal ${reference} --to … --note …\`. A top-up can be retried ` +
        'once the partner has the money.'
      );
    case 'disagreement':
      return (
        `${words} Ask the provider what it has under our reference, and compare it with our books; ` +
        'the service booked nothing. It ends by itself once both say the same. When it is clear: ' +
        `\`npm run admin -- settle disagreement ${reference} --note …\`.`
      );
    case 'unbooked':
      return (
        "The provider's outcome is known, but the database refuses to book it. The money stays on hold, " +
        'and the workflow tries again. The log of the worker has the error of the database: remove ' +
        'its cause. To try now, send the workflow the signal `providerHint`.'
      );
    case 'break':
    case 'statement':
      return statementAdvice({ kind, reference, words });
    case 'recovered':
      return (
        'The provider made it after the backup that the database was restored from; the amount is in ' +
        'the account *suspense*, and its voucher pays nothing else. When its caller repeats the ' +
        'request, this case ends by itself. Otherwise find its company by the reference (Temporal ' +
        `finds the workflow by \`Reference = "${reference}"\`), cancel a voucher that keeps the value, ` +
        `and record who pays: \`npm run admin -- settle recovered-payment ${reference} --by … --note …\`.`
      );
  }
}
