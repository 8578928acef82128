import { log } from '@temporalio/activity';
import { findBrokenInvariants } from '../src/db/ledger/invariants.js';
import {
  findOpenCase,
  listOpenCases,
  noteUnbooked,
  type PaymentCase,
} from '../src/db/reconciliation/cases.js';
import { formatAmount, parseMoney } from '../src/domain/money.js';
import type { CaseInput, CaseName } from '../workflows/messages.js';
import { runUnhurried } from './database-step.js';
import type { ActivityDependencies } from './dependencies.js';
import { withHeartbeat } from './provider-call.js';

/** Just below the time limit of the activity. */
const BOOKS_STATEMENT_TIMEOUT_MS = 290_000;
const MAXIMUM_SHOWN = 20;

/** How a case stands, and what its page in the Temporal UI says. */
export interface CaseState {
  readonly isOpen: boolean;
  readonly paragraphs: readonly string[];
}

export function createCaseActivities({ database, caseStarter }: ActivityDependencies) {
  /**
   * Starts the workflow of each case that is open and has none; returns in words those that it
   * started. Books that do not agree are a case as well.
   */
  async function openCases(booksAreBroken: boolean): Promise<string[]> {
    const opened: string[] = [];
    for (const one of await listOpenCases(database)) {
      const description = `${names[one.kind]}: ${describe(one)}`;
      if (await caseStarter.start({ kind: one.kind, reference: one.reference }, description))
        opened.push(description);
    }
    if (booksAreBroken) await caseStarter.start({ kind: 'books' }, 'The books do not agree');
    return opened;
  }

  /** How a case stands. Operators settle cases in the database, which is the truth. */
  const readCase = ({ name }: CaseInput): Promise<CaseState> =>
    withHeartbeat(() => (name.kind === 'books' ? readBooks() : readPayment(name)));

  async function readPayment(name: Exclude<CaseName, { kind: 'books' }>): Promise<CaseState> {
    const found = await findOpenCase(database, name);
    if (!found)
      return {
        isOpen: false,
        paragraphs: [`**Settled**: ${names[name.kind]}, ${name.reference}.`],
      };
    const facts = `${describe(found)}; partner ${found.partnerId}.`;
    return { isOpen: true, paragraphs: [`**${names[found.kind]}**: ${facts}`, advice(found)] };
  }

  async function readBooks(): Promise<CaseState> {
    const faults = await runUnhurried(database, BOOKS_STATEMENT_TIMEOUT_MS, findBrokenInvariants);
    if (faults.length === 0)
      return { isOpen: false, paragraphs: ['**Settled**: the books agree again.'] };
    const listed = faults.slice(0, MAXIMUM_SHOWN).map((fault) => `- ${fault}`);
    return {
      isOpen: true,
      paragraphs: [
        `**The books do not agree**: ${faults.length} found. Look at each with ` +
          '`npm run admin -- check-ledger`; until then pay nothing out by hand.',
        listed.join('\n'),
      ],
    };
  }

  /** Notes that what the provider has decided cannot be booked, so that a case is opened. */
  async function noteUnbookedPayment(
    kind: 'redemption' | 'topup',
    operationId: string,
  ): Promise<void> {
    log.error('What a provider has decided cannot be booked', { kind, operationId });
    await noteUnbooked(database, kind, operationId);
  }

  return { openCases, readCase, noteUnbookedPayment };
}

const names: Readonly<Record<PaymentCase['kind'], string>> = {
  'late-success': 'Done after it was refused',
  reversal: 'Taken back after it was done',
  disagreement: 'Another content at the provider',
  unbooked: 'Decided by the provider, and not booked',
};

const describe = ({ subject, amount, reference }: PaymentCase): string =>
  `${subject}, ETB ${formatAmount(parseMoney(amount))}, our reference ${reference}`;

/** What a person can do about it. */
function advice({ kind, reference, words }: PaymentCase): string {
  switch (kind) {
    case 'late-success':
      return (
        'The money had been given back, so nobody was charged; the amount stands in the account ' +
        '*suspense*. Agree with the partner whether it pays, or with the provider whether it is ' +
        `taken back, then tell the books: \`npm run admin -- settle late-success ${reference} ` +
        '--by … --note …`. It is not to be retried.'
      );
    case 'reversal':
      return (
        'The provider has given the money back, and it stands in the account *suspense*; whoever ' +
        'paid has not got it. Ask the provider why, agree with the partner, then tell the books: ' +
        `\`npm run admin -- settle reversal ${reference} --to … --note …\`. A top-up can be retried ` +
        'once the partner has the money.'
      );
    case 'disagreement':
      return (
        `${words} Ask the provider what it has under our reference and hold it against our books; ` +
        'nothing was booked. When it is clear: ' +
        `\`npm run admin -- settle disagreement ${reference} --note …\`.`
      );
    case 'unbooked':
      return (
        'The provider has done or refused it, and the database refuses to book that: the money stays ' +
        'on hold and the workflow tries again by itself. The log of the worker says what the ' +
        'database refuses; mend that. To try at once, send the workflow the signal `providerHint`.'
      );
  }
}
