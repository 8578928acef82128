import type { z } from 'zod';
import type { ShownRepair } from '../../db/repairs/repair-lists.ts';
import type { Asking } from '../../db/repairs/repairs.ts';
import { actorOfPerson } from '../../domain/access.ts';
import { amountText } from '../../domain/money.ts';
import { bearerNames } from '../../domain/positions/case-texts.ts';
import { providerName } from '../../domain/providers.ts';
import { keptReason } from '../../domain/repairs.ts';
import type { Services } from '../../http/services.ts';
import { type Html, html } from '../../rendering/html.ts';
import { whySecondPerson } from '../../repairs/ask-repair.ts';
import { metaOf, type RepairKind } from '../../repairs/repair-kind.ts';
import { repairsOf } from '../../repairs/repair-kinds.ts';
import { asSent, field, message, onceField, postForm, selectField } from '../layout/parts.ts';
import { readNameField, type StaffRequest, staffMay } from '../page.ts';
import type { NextStep } from './next-steps.ts';
import { REPAIRS_PATH, repairPath, repairTitle } from './repair-parts.ts';
import type { SupportCase } from './support-case.ts';

/** A repair that is possible at this moment. */
export interface Offer {
  readonly kind: RepairKind;
  readonly subjectId: string;
  /** The subject, such as "voucher 012345678901234567". */
  readonly label: string;
  /** The same repair, which has not ended: it is not asked for again. */
  readonly open: ShownRepair | undefined;
  readonly second: SecondPerson | undefined;
  /** The facts that its form is about. */
  readonly binding: string;
  /** The possible values of a field now, by its name; without values the field is left out. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

/** That another person will have to confirm the repair. */
interface SecondPerson {
  /** Ends a sentence. */
  readonly why: string;
  /** Only where the person fills in another number. */
  readonly isForOtherNumber: boolean;
}

/** The repairs of a case that are possible now, and that the person may ask for. */
export async function offersOf(
  request: StaffRequest,
  found: Pick<SupportCase, 'kind' | 'id' | 'openRepairs' | 'otherProviders'>,
): Promise<Offer[]> {
  if (!staffMay(request, 'ask')) return [];
  const offers: Offer[] = [];
  for (const { kind, subjectId } of await repairsOf(request.services.database, found)) {
    const open = found.openRepairs.find(
      (row) => row.kind === kind.name && row.subject_id === subjectId,
    );
    const offer = await offerOf(request, { kind, subjectId, open });
    if (offer) offers.push({ ...offer, choices: { provider: found.otherProviders } });
  }
  return offers;
}

/** The offer of a repair; undefined where it is not possible now. */
export async function offerOf(
  { services, session }: StaffRequest,
  { kind, subjectId, open }: Pick<Offer, 'kind' | 'subjectId' | 'open'>,
): Promise<Offer | undefined> {
  const judged = await kind.judge(services.database, subjectId, {}, services);
  if (!judged || judged.refusal !== undefined) return undefined;
  const asking = { subject_id: subjectId, asked_by: actorOfPerson(session) };
  const second = open ? undefined : await secondPersonFor(services, kind, asking);
  const { label, binding } = judged;
  return { kind, subjectId, label, open, second, binding, choices: {} };
}

/** What the form says beforehand; the edge and the step that acts decide. */
export async function secondPersonFor(
  services: Services,
  kind: RepairKind,
  { subject_id, asked_by }: Pick<Asking, 'subject_id' | 'asked_by'>,
): Promise<SecondPerson | undefined> {
  const { database, settings } = services;
  const asking = { kind: kind.name, subject_id, asked_by };
  const whyWith = async (args: Readonly<Record<string, string>>) => {
    const judged = await kind.judge(database, subject_id, args, services);
    return judged && whySecondPerson(database, judged, asking, settings);
  };
  const why = await whyWith({});
  if (why !== undefined) return { why, isForOtherNumber: false };
  const whyForNumber = 'msisdn' in kind.fields.shape && (await whyWith({ msisdn: ANY_NUMBER }));
  return whyForNumber ? { why: whyForNumber, isForOtherNumber: true } : undefined;
}

/** A number without an owner: for every number a second person is needed, or for none. */
const ANY_NUMBER = '+251900000000';

/** The subject of a repair's form, and how it is shown. */
interface FormSubject {
  /** Its id, which makes the ids of the fields unique on the page. */
  readonly subject: string;
  /** Whether it was refused: it has what was typed. */
  readonly isRefused?: boolean;
  /** What the button says. */
  readonly button: string;
  readonly second?: SecondPerson | undefined;
  /** Undefined where it is about nothing that changes. */
  readonly binding?: string;
  readonly choices?: Offer['choices'];
  /** Fields that the page draws itself, by their names. */
  readonly own?: Readonly<Record<string, Html>>;
}

/** The form that asks for a repair. */
export function repairForm(
  request: StaffRequest,
  kind: RepairKind,
  { subject, isRefused, button, second, binding, choices = {}, own = {} }: FormSubject,
): Html {
  const idOf = (name: string) => `${kind.name}-${subject}-${name}`;
  const limits = kind.limits?.(request.services.settings);
  const sent = asSent(request, isRefused ? {} : undefined);
  const named = (name: string) => ({
    ...sent(name),
    id: idOf(name),
    ...(limits?.[name] !== undefined && { hint: limits[name] }),
  });
  return postForm(
    request,
    `${REPAIRS_PATH}/ask/${kind.name}`,
    html`<input type="hidden" name="subject" value="${subject}">
${onceField()}
${binding !== undefined && html`<input type="hidden" name="binding" value="${binding}">`}
${Object.entries(kind.fields.shape)
  .filter(([name]) => choices[name]?.length !== 0)
  .map(([name, schema]) => own[name] ?? fieldOf(named(name), schema as z.ZodType, choices[name]))}
${whyField(named('why'))}
${second && html`<p class="hint">${second.isForOtherNumber ? 'Another number needs a second person' : 'A second person must confirm it'}: ${second.why}.</p>`}
<p class="actions"><button${kind.isIrreversible && html` class="danger"`}>${button}</button></p>`,
  );
}

/** The ticket and the reason of a change by people of the service. */
export const whyField = (own: Pick<Parameters<typeof field>[0], 'id' | 'value' | 'error'>): Html =>
  field({
    name: 'why',
    label: 'Ticket, and why',
    ...own,
  });

/** The ticket and the reason of a sent form, without numbers and codes of customers; undefined where there is none. */
export function readWhy({ form }: StaffRequest): string | undefined {
  const typed = readNameField(form.text('why'), 200);
  return typed === undefined ? undefined : keptReason(typed);
}

/** The problem of a form without a reason. */
export const NO_REASON = 'Write the ticket and the reason in one line.';

/** The shown answers of forms with a choice. */
const answers: Readonly<Record<string, string>> = {
  done: 'Yes',
  'not-done': 'No',
  ...bearerNames,
};

/** The answer that a repair was given in a field, as its form shows it. */
export function answerOf({ fields }: RepairKind, name: string, given: string): string {
  const schema: z.ZodType | undefined = fields.shape[name];
  const placeholder = schema === undefined ? '' : metaOf(schema).placeholder;
  if (placeholder === 'amount') return amountText(given);
  return placeholder.includes('|') ? (answers[given] ?? given) : given;
}

/** What a field asks for, as its label says. */
export function labelOf({ fields }: RepairKind, name: string): string {
  const schema: z.ZodType | undefined = fields.shape[name];
  return schema === undefined ? name : metaOf(schema).description;
}

function fieldOf(
  named: ReturnType<ReturnType<typeof asSent>> & { readonly id: string; readonly hint?: string },
  schema: z.ZodType,
  choices: readonly string[] | undefined,
): Html {
  const { description, placeholder, isOptional } = metaOf(schema);
  const words = choices ?? placeholder.split('|');
  if (choices || words.length > 1)
    return selectField({
      ...named,
      label: description,
      ...(!isOptional && { isRequired: true }),
      // No choice is made by the order of the options.
      options: [
        ['', isOptional ? 'Not needed' : 'Choose'],
        ...words.map((word) => [word, answers[word] ?? providerName(word)] as const),
      ],
    });
  const type = placeholder === 'day' ? ({ type: 'date' } as const) : {};
  return field({
    ...named,
    label: description,
    ...type,
    ...(isOptional && { isOptional: true }),
  });
}

/** A form that was refused: it is shown again, with what was typed. */
export interface RefusedForm {
  readonly kind: string;
  readonly subjectId: string;
  readonly words: string;
}

interface Choices {
  readonly offers: readonly Offer[];
  readonly next: NextStep;
  readonly refused: RefusedForm | undefined;
}

/** The next step with the form of the repair that helps, and the forms of other repairs that help. */
export function nextChoices(request: StaffRequest, choices: Choices): Html {
  const { offers, next, refused } = choices;
  const { first, instead } = inOrder(choices);
  return html`${refused && message('danger', html`${refused.words}`)}
<section class="card next"><p class="lead">${next.happened}</p>
<h2>Next</h2><p>${next.toDo}</p>
${next.asked?.flatMap((provider) => contactOf(request, provider) ?? [])}
${first && (first.open ? linkToOpen(first.open) : formOf(request, first, { refused, button: first.kind.title }))}
${instead.length > 0 && html`<div class="choices">${instead.map((offer) => folded(request, offer, { offers, refused }))}</div>`}</section>`;
}

/** How people reach a provider, where the settings say it. */
export function contactOf(
  { services }: StaffRequest,
  provider: string | null | undefined,
): Html | undefined {
  const contacts: Readonly<Record<string, string>> = services.settings.repairs.providerContacts;
  const contact = provider ? contacts[provider] : undefined;
  return contact === undefined || !provider
    ? undefined
    : html`<p>${providerName(provider)}: <span class="whole">${contact}</span></p>`;
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
    subject: offer.subjectId,
    isRefused: isOf(offer, refused),
    button,
    second: offer.second,
    binding: offer.binding,
    choices: offer.choices,
  });

/** It is looked at, not asked for again. */
const linkToOpen = (row: ShownRepair): Html =>
  html`<a class="button secondary" href="${repairPath(row.id)}">${repairTitle(row)}: repair ${row.id} is open</a>`;

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
