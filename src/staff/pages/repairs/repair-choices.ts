import type { ShownRepair } from '../../../db/repairs/repair-lists.ts';
import { message } from '../../../portal/layout/parts.ts';
import { type Html, html } from '../../../rendering/html.ts';
import type { NextStep } from '../../next-step.ts';
import type { StaffRequest } from '../../page.ts';
import { type FormValues, repairForm } from './repair-form.ts';
import type { Offer } from './repair-offers.ts';
import { repairPath, titleOf } from './repair-parts.ts';

/** A form that was refused: it is shown again, with what was typed. */
export interface RefusedForm {
  readonly kind: string;
  readonly subjectId: string;
  readonly values: FormValues;
  readonly words: string;
}

interface Choices {
  readonly offers: readonly Offer[];
  readonly next: NextStep;
  readonly refused: RefusedForm | undefined;
}

/** What to do next: in words, with the form of the repair that helps, and those that help otherwise. */
export function nextChoices(request: StaffRequest, choices: Choices): Html {
  const { offers, next, refused } = choices;
  const { first, instead } = inOrder(choices);
  return html`${refused && message('danger', html`${refused.words}`)}
<section class="card next"><p class="lead">${next.happened}</p>
<h2>What to do next</h2><p>${next.toDo}</p>
${first && (first.open ? linkToOpen(first.open) : formOf(request, first, { refused, button: first.kind.title }))}
${instead.length > 0 && html`<div class="choices">${instead.map((offer) => folded(request, offer, { offers, refused }))}</div>`}</section>`;
}

/** All other repairs that are possible now: seldom needed, so folded. */
export function otherChoices(request: StaffRequest, choices: Choices): Html | undefined {
  const { others } = inOrder(choices);
  if (others.length === 0) return undefined;
  const isOpen = others.some((offer) => isOf(offer, choices.refused));
  return html`<details${isOpen && html` open`}><summary>Other repairs</summary>
<div class="choices">${others.map((offer) => folded(request, offer, choices))}</div></details>`;
}

/** The offers as the next step has them; each stands at one place. */
function inOrder({ offers, next }: Choices) {
  const first = offers.find(({ kind }) => kind.name === next.first);
  const instead = (next.instead ?? []).flatMap((name) =>
    offers.filter((offer) => offer.kind.name === name && offer !== first),
  );
  const others = offers.filter((offer) => offer !== first && !instead.includes(offer));
  return { first, instead, others };
}

const isOf = ({ kind, subjectId }: Offer, refused: RefusedForm | undefined): boolean =>
  refused?.kind === kind.name && refused.subjectId === subjectId;

const formOf = (
  request: StaffRequest,
  offer: Offer,
  { refused, button }: { readonly refused: RefusedForm | undefined; readonly button: string },
): Html =>
  repairForm(request, offer.kind, {
    key: offer.subjectId,
    subject: offer.subjectId,
    values: isOf(offer, refused) ? refused?.values : undefined,
    button,
    second: offer.second,
    choices: offer.choices,
  });

/** It is looked at, not asked for again. */
const linkToOpen = (row: ShownRepair): Html =>
  html`<a class="button secondary" href="${repairPath(row.id)}">${titleOf(row)}: repair ${row.id} is open</a>`;

/** A button that opens the form. It names the redemption where the voucher has several. */
function folded(
  request: StaffRequest,
  offer: Offer,
  { offers, refused }: Pick<Choices, 'offers' | 'refused'>,
): Html {
  const { kind, label, open } = offer;
  if (open) return linkToOpen(open);
  const isOne = offers.filter((one) => one.kind === kind).length === 1;
  return html`<details${isOf(offer, refused) && html` open`}><summary class="button secondary">${kind.title}${!isOne && html`, ${label}`}</summary>
<p>${kind.summary}</p>
${formOf(request, offer, { refused, button: kind.button })}</details>`;
}
