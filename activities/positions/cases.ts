import { log } from '@temporalio/activity';
import { checkChangedBooks } from '../../src/db/books/check-changes.ts';
import { type Case, findCase, listCases, noteUnbooked } from '../../src/db/positions/cases.ts';
import { formatAmount, magnitudeOf, parseMoney } from '../../src/domain/money.ts';
import { caseAdvice, caseTitle } from '../../src/domain/positions/words.ts';
import type { StartNames } from '../../src/temporal/workflow-starts.ts';
import type { CaseInput } from '../../workflows/contracts.ts';
import { runUnhurried } from '../database-step.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';
import { type CaseState, readDueVouchers, readRefusedRows } from '../reconciliation/sweep-cases.ts';

/** Slightly below the timeout of the activity. */
const BOOKS_STATEMENT_TIMEOUT_MS = 290_000;
/** What is left then is for the next check. */
const BOOKS_CHECK_MS = 200_000;
const MAXIMUM_SHOWN = 20;
/** More than a person can look at: later ones wait. */
const MAXIMUM_CASES = 300;

export function createCaseActivities({ database, caseStarter }: ActivityDependencies) {
  /**
   * Starts a workflow for each open case without one; returns the summaries of the started ones.
   * Inconsistent books are a case as well.
   */
  async function openCases(booksAreBroken: boolean): Promise<string[]> {
    const opened: string[] = [];
    for (const one of await listCases(database, { includeClosed: false, limit: MAXIMUM_CASES })) {
      const summary = describeCase(one);
      const name = { kind: 'case', id: one.id } as const;
      if (await caseStarter.start(name, summary, namesOf(one))) opened.push(summary);
    }
    if (booksAreBroken) await caseStarter.start({ kind: 'books' }, 'The books do not agree', {});
    return opened;
  }

  /** The state of a case. People settle cases in the database, which is authoritative. */
  const readCase = ({ name }: CaseInput): Promise<CaseState> =>
    withHeartbeat(() => {
      switch (name.kind) {
        case 'books':
          return readBooks();
        case 'refused-rows':
          return readRefusedRows(database, name);
        case 'due-vouchers':
          return readDueVouchers(database, name);
        case 'case':
          return readOne(name.id);
      }
    });

  async function readOne(id: number): Promise<CaseState> {
    const found = await findCase(database, id);
    if (!found || found.closedAt !== null)
      return {
        isOpen: false,
        paragraphs: [`**Settled**: ${found ? describeCase(found) : `case ${id}`}.`],
      };
    return {
      isOpen: true,
      paragraphs: [
        `**${describeCase(found)}**`,
        ...(found.words === null ? [] : [found.words]),
        `${caseAdvice(found.why)} At /support, or with \`npm run admin -- settle ${id} --by … --note …\`.`,
      ],
    };
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
    await noteUnbooked(database, operationId);
  }

  return { openCases, readCase, noteUnbookedPayment };
}

/** What the workflow of a case is found by. */
const namesOf = ({
  partnerId,
  merchantId,
  serialNumber,
  topupId,
  reference,
}: Case): StartNames => ({
  partnerId: partnerId ?? undefined,
  merchantId: merchantId ?? undefined,
  serialNumber: serialNumber ?? undefined,
  transactionId: topupId ?? undefined,
  references: reference === null ? [] : [reference],
});

/** "Providers did more than is paid for, ETB 487.50, Addis Gifts, since 2026-11-26, case 17". */
function describeCase(found: Case): string {
  const amount = parseMoney(found.amount);
  return [
    caseTitle(found.why, amount),
    ...(amount === 0n ? [] : [`ETB ${formatAmount(magnitudeOf(amount))}`]),
    ...(found.provider === null ? [] : [`at ${found.provider}`]),
    ...(found.partner === null ? [] : [found.partner]),
    ...(found.reference === null ? [] : [`our reference ${found.reference}`]),
    `since ${found.openedAt.toISOString().slice(0, 10)}`,
    `case ${found.id}`,
  ].join(', ');
}
