import type { ShownRepair } from '../db/repairs/repair-lists.ts';
import type { NotDoneBy } from '../domain/providers/not-done-by.ts';
import { quoted } from '../domain/refusals.ts';
import { isStaffActor } from '../domain/repairs/repair.ts';
import { plainWords } from '../domain/staff/plain-words.ts';
import { type Html, html } from '../rendering/html.ts';
import { openCasePath } from './case-path.ts';
import { repairPath, titleOf } from './pages/repairs/repair-parts.ts';

/** What the page of a case begins with. */
export interface NextStep {
  /** One sentence, or a few short ones. */
  readonly happened: Html;
  /** What a support agent does now, in as few words as possible: each is read while a customer waits. */
  readonly toDo: Html;
  /** The repair that helps: its form stands open, where it is possible. */
  readonly first?: string;
  /** Repairs that help otherwise, each behind a button. */
  readonly instead?: readonly string[];
}

/** They decide about money on hold themselves. */
const SETTLEMENTS: readonly string[] = ['settle-payment', 'settle-top-up'];

/**
 * What to do about a repair that is asked for and has not ended; undefined where there is none. `onHold` is the
 * step of a payment or a top-up that a provider has not decided: no repair hides who is silent, and since when.
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
  const name = html`<a href="${repairPath(open.id)}">Repair ${open.id}</a>, “${titleOf(open)}”,`;
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

/**
 * Words of a provider in quotation marks, after what they mean; those of the service and its staff are our own, and
 * have none.
 */
export function wordsOf(words: string, by: NotDoneBy | null = null): Html {
  if (by === 'service' || by === 'staff') return html`: ${quoted(words)}`;
  const said = html`“<span lang="en">${quoted(words)}</span>”`;
  const meaning = plainWords(words);
  return meaning === undefined ? html`: ${said}` : html`: ${meaning} (${said})`;
}

/** What an operator does where nothing is sent again. */
export const CHECK_PROVIDERS = html`If it is not sent again, an operator checks the providers:
<code>npm run admin -- check providers</code>.`;

/** Since when the present provider has had a payment or an attempt: the one before may have refused after a while. */
export const askedSince = ({
  placements,
  at,
}: {
  readonly placements: readonly { readonly kind: string; readonly at: string }[];
  readonly at: string;
}): Date => new Date(placements.findLast(({ kind }) => kind !== 'reversal')?.at ?? at);

/** A link to the page of a case, for sentences. */
export const linkToCase = (id: number): Html => html`<a href="${openCasePath(id)}">case ${id}</a>`;

export const last = <One>(ones: readonly One[]): One | undefined => ones.at(-1);
