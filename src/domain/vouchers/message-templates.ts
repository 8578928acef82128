import { partsOf } from './message-parts.ts';
import {
  dayIn,
  type MessageFacts,
  type MessageLanguage,
  type MessageTexts,
  messageLanguages,
  NAME_LENGTH,
  ownerMessages,
  short,
} from './owner-messages.ts';

/** Texts of an operator, by language and kind; a text that is missing is the service's own. */
export type MessageTemplates = Readonly<Record<string, Readonly<Record<string, string>>>>;

type Kind = keyof MessageFacts;

/** Values for the places of a template; null where there is none. */
type Values = Readonly<Record<string, string | null>>;

/** Names of the longest kind that is not cut: one in other letters makes the parts of a message shorter. */
const exampleNames = [
  'Abyssinia Coffee House'.padEnd(NAME_LENGTH, ' &'),
  'ቡና'.repeat(NAME_LENGTH / 2),
];

/** The places of each kind, with the longest values that are usual. */
const examples: Readonly<Record<Kind, Values>> = {
  code: {
    code: '12345678',
    amount: '100000.00',
    merchant: 'Abyssinia Coffee House',
    minutes: '60',
  },
  confirmation: {
    ...{ taken: '100000.00', paid: '100000.00', fee: '1000.00', remaining: '100000.00' },
    ...{ merchant: 'Abyssinia Coffee House', reference: 'RDM-0123456789ABCDEF' },
  },
  reminder: { remaining: '100000.00', merchant: 'Abyssinia Coffee House', day: '30 Sept 2027' },
  reversal: {
    ...{ amount: '100000.00', remaining: '100000.00', merchant: 'Abyssinia Coffee House' },
    reference: 'RDM-0123456789ABCDEF',
  },
};

/** A message in more parts is expensive, and some networks lose one. */
const MOST_PARTS = 3;

const kinds = Object.keys(examples) as Kind[];
const PLACE = /\{(\w*)\}/g;
const OPTIONAL = /\[([^[\]]*)\]/g;

/** What is wrong with the texts of an operator, a line each. */
export const templateProblems = (templates: MessageTemplates): string[] =>
  Object.entries(templates).flatMap(([language, texts]) =>
    (messageLanguages as readonly string[]).includes(language)
      ? Object.entries(texts).flatMap(([kind, template]) =>
          problemsOf(kind, template).map((problem) => `${language}.${kind} ${problem}`),
        )
      : [`${language} is no language: use ${messageLanguages.join(' or ')}`],
  );

function problemsOf(kind: string, template: string): string[] {
  if (!(kinds as string[]).includes(kind)) return [`is no message: use ${kinds.join(', ')}`];
  const values = examples[kind as Kind];
  const places = [...template.matchAll(PLACE)].map(([, place = '']) => place);
  const unknown = places.filter((place) => !Object.hasOwn(values, place));
  if (unknown.length > 0)
    return [`has no place {${unknown[0]}}: use {${Object.keys(values).join('}, {')}}`];
  if (/[{}[\]]/.test(fill(template, values))) return ['has a bracket without its counterpart'];
  // Without its code a message is of no use, and without a merchant it must have it, too.
  if (kind === 'code' && !fill(template, { ...values, merchant: null }).includes(values.code ?? ''))
    return ['must have the place {code}, outside of []'];
  const parts = Math.max(
    ...exampleNames.map((merchant) => partsOf(fill(template, { ...values, merchant }))),
  );
  return parts > MOST_PARTS
    ? [
        `takes ${parts} parts of an SMS with a name of ${NAME_LENGTH} letters: at most ${MOST_PARTS}`,
      ]
    : [];
}

/** Fills the places; a part in [] is left out where it has a place without a value. */
const fill = (template: string, values: Values): string =>
  template
    .replace(OPTIONAL, (_part, words: string) =>
      [...words.matchAll(PLACE)].some(([, place = '']) => values[place] === null) ? '' : words,
    )
    .replace(PLACE, (_place, name: string) => values[name] ?? '');

/** The name in a text: cut, so that it takes no more parts than the check at the start has counted. */
const named = ({ merchant }: { readonly merchant: string | null }) => ({
  merchant: merchant === null ? null : short(merchant),
});

const locales: Readonly<Record<MessageLanguage, string>> = { en: 'en-GB', am: 'am' };

/** The texts of messages: those of the operator, and the service's own where there is none. */
export function messageTexts(
  templates: MessageTemplates,
): Readonly<Record<MessageLanguage, MessageTexts>> {
  const of = (language: MessageLanguage): MessageTexts => {
    const own = ownerMessages[language];
    const { code, confirmation, reminder, reversal } = templates[language] ?? {};
    return {
      code:
        code === undefined
          ? own.code
          : ({ minutes, ...facts }) =>
              fill(code, { ...facts, ...named(facts), minutes: String(minutes) }),
      confirmation:
        confirmation === undefined
          ? own.confirmation
          : (facts) => fill(confirmation, { ...facts, ...named(facts) }),
      reminder:
        reminder === undefined
          ? own.reminder
          : ({ remaining, merchant, ...day }) =>
              fill(reminder, {
                remaining,
                ...named({ merchant }),
                day: dayIn(locales[language], day),
              }),
      reversal:
        reversal === undefined
          ? own.reversal
          : (facts) => fill(reversal, { ...facts, ...named(facts) }),
    };
  };
  return { en: of('en'), am: of('am') };
}
