import type { z } from 'zod';
import { randomToken } from '../../../portal/access/session.js';
import { field, postForm, selectField } from '../../../portal/layout/parts.js';
import { type Html, html } from '../../../process/html.js';
import type { RepairKind } from '../../../repairs/repair-kind.js';
import type { StaffRequest } from '../../page.js';
import { REPAIRS_PATH } from './repair-parts.js';

/** What the form of a repair is about. */
interface FormSubject {
  /** Makes the ids of the fields unique on the page. */
  readonly key: string;
  /** Under the heading. */
  readonly about: string;
  /** The id of the subject, or the field in which the person names it: `subject`. */
  readonly subject: string | Html;
}

/** The form that asks for a repair. */
export function repairForm(
  { formToken }: StaffRequest,
  kind: RepairKind,
  { key, about, subject }: FormSubject,
): Html {
  const idOf = (name: string) => `${kind.name}-${key}-${name}`;
  return html`<section class="card"><h2>${kind.title}</h2><p>${kind.summary}</p><p class="hint">For ${lowerCased(about)}. Possible ${lowerCased(kind.allowed)}.</p>
${postForm(
  { action: `${REPAIRS_PATH}/ask/${kind.name}`, formToken },
  html`${typeof subject === 'string' ? html`<input type="hidden" name="subject" value="${subject}">` : subject}
<input type="hidden" name="once" value="${randomToken()}">
${Object.entries(kind.fields.shape).map(([name, schema]) => fieldOf({ name, id: idOf(name) }, schema as z.ZodType))}
${field({ name: 'why', id: idOf('why'), label: 'Why, with the ticket', hint: WHY })}
<p class="actions"><button class="${FINAL.includes(kind.name) ? 'danger' : ''}">${kind.title}</button></p>`,
)}</section>`;
}

/** What cannot be taken back looks so. */
const FINAL: readonly string[] = ['cancel-claim', 'cancel-voucher'];

const lowerCased = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

const WHY = 'Neither a phone number nor a code: it is kept in clear.';

/** What people read of the answers to “whether”. */
const answers: Readonly<Record<string, string>> = { done: 'Yes', 'not-done': 'No' };

function fieldOf(
  { name, id }: { readonly name: string; readonly id: string },
  schema: z.ZodType,
): Html {
  const isOptional = schema.isOptional();
  const inner = isOptional ? ((schema as z.ZodOptional<z.ZodType>).unwrap?.() ?? schema) : schema;
  const { description = name, placeholder } = inner.meta() ?? {};
  const words = String(placeholder).split('|');
  if (words.length > 1)
    return selectField({
      name,
      id,
      label: description,
      value: '',
      // Nobody decides by what happens to stand first.
      options: [['', 'Choose'], ...words.map((word) => [word, answers[word] ?? word] as const)],
    });
  const type = placeholder === 'day' ? ({ type: 'date' } as const) : {};
  return field({ name, id, label: description, ...type, ...(isOptional && { isOptional: true }) });
}
