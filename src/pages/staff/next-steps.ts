import type { Case } from '../../db/positions/cases.ts';
import type { ShownPlacement } from '../../db/positions/placements.ts';
import type { ShownRepair } from '../../db/repairs/repair-lists.ts';
import { isStaffActor } from '../../domain/access.ts';
import { parseMoney } from '../../domain/money.ts';
import { otherAmountWords, type SettledCase } from '../../domain/positions/case-texts.ts';
import { providerName } from '../../domain/providers.ts';
import { type Html, html } from '../../rendering/html.ts';
import { settledCase } from '../../repairs/payment-repairs.ts';
import type { RepairKindName } from '../../repairs/repair-titles.ts';
import { openCasePath, repairPath, repairTitle, wordsOf } from './repair-parts.ts';

/** The beginning of the page of a case. */
export interface NextStep {
  /** One sentence, or a few short ones. */
  readonly happened: Html;
  /**
   * The task of a support agent now, in as few words as possible: it is read while a customer
   * waits.
   */
  readonly toDo: Html;
  /** The providers that a person asks: their contacts stand below the task. */
  readonly asked?: readonly string[];
  /** The repair that helps: its form stands open, where it is possible. */
  readonly first?: RepairKindName;
  /** Repairs that help otherwise, each behind a button. */
  readonly instead?: readonly RepairKindName[];
}

/** They decide about money on hold themselves. */
const SETTLEMENTS: readonly string[] = ['settle-payment', 'settle-top-up'];

/** Whether the next step is about a provider that has not said how something ended. */
export const isAboutSilence = ({ first, instead = [] }: NextStep): boolean =>
  [first, ...instead].some((name) => name !== undefined && SETTLEMENTS.includes(name));

/**
 * The next step of a repair that is asked for and has not ended; undefined where there is none.
 * `onHold` is the step of a payment or a top-up that a provider has not decided: no repair hides
 * who is silent, and since when.
 */
export function nextOfOpenRepair(
  repairs: readonly ShownRepair[],
  onHold?: NextStep,
): NextStep | undefined {
  const open = repairs.find(({ result }) => result === null);
  if (open === undefined) return undefined;
  const next = nextOfOpen(open);
  if (onHold === undefined) return next;
  const happened = html`${next.happened} ${onHold.happened}`;
  return SETTLEMENTS.includes(open.kind) ? { ...next, happened } : { ...onHold, happened };
}

function nextOfOpen(open: ShownRepair): NextStep {
  const name = html`<a href="${repairPath(open.id)}">Repair ${open.id}</a>, “${repairTitle(open)}”,`;
  if (open.state !== 'ASKED')
    return { happened: html`${name} is under way.`, toDo: html`Look again in a minute.` };
  if (!isStaffActor(open.asked_by))
    return {
      happened: html`${name} was asked for on the command line: nobody can confirm it.`,
      toDo: html`Ask a supervisor to decline it. Then ask for it here.`,
    };
  return {
    happened: html`${name} waits for another person.`,
    toDo: html`Ask a supervisor to confirm it.`,
  };
}

/** The task of an operator where nothing is sent again. */
export const CHECK_PROVIDERS = html`If it is not sent again, an operator checks the providers:
<code>npm run admin -- providers check</code>.`;

/**
 * Since when the present provider has had a payment or an attempt: the previous provider may have
 * refused after a while.
 */
export const askedSince = ({
  placements,
  at,
}: {
  readonly placements: readonly { readonly kind: string; readonly at: string }[];
  readonly at: string;
}): Date => new Date(placements.findLast(({ kind }) => kind !== 'reversal')?.at ?? at);

/** A link to the page of a case, for sentences. */
export const linkToCase = (id: number): Html => html`<a href="${openCasePath(id)}">case ${id}</a>`;

/** The end of the last case of an order, by our reference; undefined where no person has settled it. */
export const settledCaseOf = (
  cases: readonly Case[],
  reference: string | undefined,
): SettledCase | undefined => {
  const newest = cases.findLast((one) => one.reference === reference);
  return newest && settledCase(newest);
};

/** What providers did of an order in place of the ordered amount, and who bears the difference. */
export function otherAmountOf(
  settled: SettledCase,
  placements: readonly ShownPlacement[],
  ordered: string,
): string | undefined {
  const done = placements.flatMap(({ kind, provider, observations }) => {
    const amount = parseMoney(last(observations)?.done ?? '0');
    return amount > 0n ? [{ provider, amount: kind === 'reversal' ? -amount : amount }] : [];
  });
  return otherAmountWords(settled, {
    ordered: parseMoney(ordered),
    done: done.reduce((sum, { amount }) => sum + amount, 0n),
    providers: [...new Set(done.map(({ provider }) => providerName(provider)))],
  });
}

/**
 * The providers that a person asks about an order on hold, and this step in words. They are the present provider, and
 * each earlier provider that has not said clearly whether it did the order.
 */
export function askAbout(
  placements: readonly ShownPlacement[],
  reference: string,
): { readonly toDo: Html; readonly asked: readonly string[] } {
  const asked = placements
    .filter(({ kind }) => kind !== 'reversal')
    .filter(({ observations }, index, { length }) => {
      const said = last(observations)?.said;
      return index === length - 1 || said === 'pending' || said === 'other';
    })
    .map(({ provider }) => provider);
  const booked =
    asked.length > 1
      ? html`Book <em>No</em> only when each of them says that it did nothing:`
      : html`Then book the answer:`;
  return {
    toDo: html`Ask ${asked.map(providerName).join(' and ')}, and quote <code>${reference}</code>. ${booked}`,
    asked,
  };
}

/** Why the provider has not confirmed an order on hold; nothing where that is not known. */
export function openBecause({
  placements,
}: {
  readonly placements: readonly ShownPlacement[];
}): Html | false {
  const reason = placements.findLast(({ kind }) => kind !== 'reversal')?.openBecause;
  return reason != null && wordsOf(reason, 'service');
}

export const last = <One>(ones: readonly One[]): One | undefined => ones.at(-1);

/** Nearly all outcomes come by themselves. The repair stands below, for an answer that somebody already has. */
export const WAIT = html`We ask again by ourselves, at least every hour. Wait. If the provider has told you the outcome already:`;
