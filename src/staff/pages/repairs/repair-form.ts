import type { z } from 'zod';
import { randomToken } from '../../../portal/access/session.ts';
import { field, postForm, selectField } from '../../../portal/layout/parts.ts';
import { type Html, html } from '../../../rendering/html.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import type { StaffRequest } from '../../page.ts';
import type { Offer, SecondPerson } from './repair-offers.ts';
import { REPAIRS_PATH } from './repair-parts.ts';

/** What was typed, by the names of fields. */
export type FormValues = Readonly<Record<string, string>>;

/** What the form of a repair is about. */
interface FormSubject {
  /** Makes the ids of the fields unique on the page. */
  readonly key: string;
  /** The id of the subject, or the field in which the person names it: `subject`. */
  readonly subject: string | Html;
  readonly values?: FormValues | undefined;
  /** What the button says. */
  readonly button: string;
  readonly second?: SecondPerson | undefined;
  readonly choices?: Offer['choices'];
}

/** The form that asks for a repair. */
export function repairForm(
  { formToken }: StaffRequest,
  kind: RepairKind,
  { key, subject, values = {}, button, second, choices = {} }: FormSubject,
): Html {
  const named = (name: string) => ({
    name,
    id: `${kind.name}-${key}-${name}`,
    value: values[name] ?? '',
  });
  return postForm(
    { action: `${REPAIRS_PATH}/ask/${kind.name}`, formToken },
    html`${typeof subject === 'string' ? html`<input type="hidden" name="subject" value="${subject}">` : subject}
<input type="hidden" name="once" value="${randomToken()}">
${Object.entries(kind.fields.shape)
  .filter(([name]) => choices[name]?.length !== 0)
  .map(([name, schema]) => fieldOf(named(name), schema as z.ZodType, choices[name]))}
${field({ ...named('why'), label: 'Ticket, and why', hint: WHY })}
${second && html`<p class="hint">${second.isForOtherNumber ? 'Another number needs a second person' : 'A second person must confirm it'}: ${second.why}.</p>`}
<p class="actions"><button${kind.isFinal && html` class="danger"`}>${button}</button></p>`,
  );
}

const WHY = 'No phone number, no code.';

/** What people read of the answers to “whether”. */
const answers: Readonly<Record<string, string>> = { done: 'Yes', 'not-done': 'No' };

/** What a field asks for, as its label says. */
export function labelOf({ fields }: RepairKind, name: string): string {
  const schema: z.ZodType | undefined = fields.shape[name];
  return schema === undefined ? name : metaOf(schema).description;
}

/** What the form shows of a field. */
function metaOf(schema: z.ZodType) {
  const isOptional = schema.isOptional();
  const inner = isOptional ? ((schema as z.ZodOptional<z.ZodType>).unwrap?.() ?? schema) : schema;
  const { description = '', placeholder } = inner.meta() ?? {};
  return { description, placeholder, isOptional };
}

function fieldOf(
  named: { readonly name: string; readonly id: string; readonly value: string },
  schema: z.ZodType,
  choices: readonly string[] | undefined,
): Html {
  const { description, placeholder, isOptional } = metaOf(schema);
  const words = choices ?? String(placeholder).split('|');
  if (choices || words.length > 1)
    return selectField({
      ...named,
      label: description,
      ...(!isOptional && { isRequired: true }),
      // Nobody decides by what happens to stand first.
      options: [
        ['', isOptional ? 'Not needed' : 'Choose'],
        ...words.map((word) => [word, answers[word] ?? word] as const),
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
