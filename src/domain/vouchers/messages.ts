import { type CompanyAuthority, refusePartner } from '../access.ts';
import type { SmsProviderName } from '../providers.ts';
import { type Refusal, refuse } from '../refusals.ts';
import { type MessageCounts, type MessageLimits, refuseMessage } from './claim.ts';

/** A provider's report about a message that it had accepted. */
export interface DeliveryReport {
  readonly provider: SmsProviderName;
  /** The provider's id of the message. */
  readonly reference: string;
  /** `under-way` says nothing about its end. */
  readonly state: 'delivered' | 'not-delivered' | 'under-way';
  /** The provider's message about a text that was not delivered, safe to show. */
  readonly reason: string | null;
}

/** A code whose delivery report is new, while its claim waits. */
export interface ReportedCode {
  /** The workflow of its claim. */
  readonly workflowId: string;
  readonly isDelivered: boolean;
  readonly reason: string | null;
}

/** GSM 03.38: the letters that take one and two places of a message. */
const ONE =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZ' +
  'ÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const TWO = '^{}\\[~]|€';

/** Whether all letters are of GSM 03.38; in others, a part holds 67 letters. */
const isGsm = (text: string): boolean => [...text].every((letter) => (ONE + TWO).includes(letter));

/** The parts that a network sends, and bills, for a text. */
export function partsOf(text: string): number {
  const hasGsm = isGsm(text);
  const length = hasGsm
    ? [...text].reduce((sum, letter) => sum + (TWO.includes(letter) ? 2 : 1), 0)
    : text.length;
  const [single, several] = hasGsm ? [160, 153] : [70, 67];
  return length <= single ? 1 : Math.ceil(length / several);
}

/** The languages of messages to owners: English and Amharic (ISO 639-1). */
export const messageLanguages = ['en', 'am'] as const;
export type MessageLanguage = (typeof messageLanguages)[number];

/** The names of the languages, each in its own language. */
export const languageNames: Readonly<Record<MessageLanguage, string>> = {
  en: 'English',
  am: 'አማርኛ',
};

/** The facts of each kind of message; amounts have two decimals, in ETB. */
interface MessageFacts {
  readonly code: {
    readonly code: string;
    readonly amount: string;
    /** The merchant, where it is known. */
    readonly merchant: string | null;
    readonly minutes: number;
  };
  readonly confirmation: {
    readonly taken: string;
    readonly paid: string;
    readonly fee: string;
    readonly merchant: string;
    readonly remaining: string;
    readonly reference: string;
  };
  readonly reminder: {
    readonly remaining: string;
    /** The only merchant that redeems the voucher; null for any merchant. */
    readonly merchant: string | null;
    readonly expiresAt: Date;
    readonly timeZone: string;
  };
  readonly reversal: {
    readonly amount: string;
    readonly merchant: string;
    readonly remaining: string;
    readonly reference: string;
  };
}

export type MessageTexts = {
  readonly [Kind in keyof MessageFacts]: (facts: MessageFacts[Kind]) => string;
};

/** A day of the Gregorian calendar, as the owner's zone has it. */
const dayIn = (
  locale: string,
  { expiresAt, timeZone }: Pick<MessageFacts['reminder'], 'expiresAt' | 'timeZone'>,
): string =>
  new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', calendar: 'gregory' }).format(
    expiresAt,
  );

/** A part of a message in Amharic has 67 characters: a long name must not cost a part more. */
const NAME_LENGTH = 30;
const short = (name: string): string => {
  const letters = [...name];
  if (letters.length <= NAME_LENGTH) return name;
  // An ellipsis is no letter of GSM 03.38.
  const end = isGsm(name) ? '...' : '…';
  return letters.slice(0, NAME_LENGTH - end.length).join('') + end;
};

/** One letter that GSM 03.38 lacks makes all parts of a message as short as those in Amharic. */
const inEnglish = (name: string): string => (isGsm(name) ? name : short(name));

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
    taken: '100000.00',
    paid: '100000.00',
    fee: '1000.00',
    remaining: '100000.00',
    merchant: 'Abyssinia Coffee House',
    reference: 'RDM-0123456789ABCDEF',
  },
  reminder: { remaining: '100000.00', merchant: 'Abyssinia Coffee House', day: '30 Sept 2027' },
  reversal: {
    amount: '100000.00',
    remaining: '100000.00',
    merchant: 'Abyssinia Coffee House',
    reference: 'RDM-0123456789ABCDEF',
  },
};

/** A message in more parts is expensive, and some networks lose one. */
const MOST_PARTS = 3;

const kinds = Object.keys(examples) as Kind[];
const PLACE = /\{(\w*)\}/g;
const OPTIONAL = /\[([^[\]]*)\]/g;

/** The mistakes in the texts of an operator, a line each. */
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

const locales: Readonly<Record<MessageLanguage, string>> = { en: 'en-GB', am: 'am' };

/** The service's own texts, in the form of an operator's: a language that lacks one does not compile. */
const ownTemplates: Readonly<Record<MessageLanguage, Readonly<Record<Kind, string>>>> = {
  en: {
    code:
      '{code} is your code to redeem ETB {amount} of your gift voucher[ at {merchant}]. It is valid for ' +
      '{minutes} min. Give it only to the cashier you are paying.',
    confirmation:
      'ETB {taken} of your gift voucher was used: ETB {paid} paid to {merchant}, ETB {fee} service fee. ' +
      'Remaining: ETB {remaining}. Reference {reference}.',
    reminder:
      'Your gift voucher of ETB {remaining}[ at {merchant}] expires on {day}. Use it before then.',
    reversal:
      'ETB {amount} is back on your gift voucher: the payment to {merchant} was reversed. ' +
      'Remaining: ETB {remaining}. Reference {reference}.',
  },
  am: {
    code:
      '{code} የስጦታ ቫውቸርዎ ኮድ ነው፤ {amount} ብር[ በ{merchant}] ለመክፈል። ለ{minutes} ደቂቃ ያገለግላል። ለሚከፍሉት ገንዘብ ተቀባይ ብቻ ' +
      'ይንገሩ።',
    confirmation:
      'ከስጦታ ቫውቸርዎ {taken} ብር ጥቅም ላይ ውሏል፤ {paid} ብር ለ{merchant} ተከፍሏል፣ {fee} ብር የአገልግሎት ክፍያ። ' +
      'ቀሪ፦ {remaining} ብር። ማጣቀሻ {reference}።',
    reminder: 'የ{remaining} ብር የስጦታ ቫውቸርዎ[ ({merchant})] በ{day} (እ.ኤ.አ.) ጊዜው ያበቃል። ከዚያ በፊት ይጠቀሙበት።',
    reversal:
      '{amount} ብር ወደ ስጦታ ቫውቸርዎ ተመልሷል፤ ለ{merchant} የተፈጸመው ክፍያ ተሰርዟል። ቀሪ፦ {remaining} ብር። ማጣቀሻ {reference}።',
  },
};

/** The texts of messages: those of the operator, and the service's own where there is none. */
export const messageTexts = (
  templates: MessageTemplates,
): Readonly<Record<MessageLanguage, MessageTexts>> => ({
  en: textsIn('en', templates.en),
  am: textsIn('am', templates.am),
});

function textsIn(language: MessageLanguage, given: MessageTemplates[string] = {}): MessageTexts {
  const text = (
    kind: Kind,
    { merchant, ...facts }: Values & { readonly merchant: string | null },
  ): string => {
    const template = given[kind];
    // A name in a text of an operator takes no more parts than the check at the start has counted.
    const cut = template === undefined && language === 'en' ? inEnglish : short;
    return fill(template ?? ownTemplates[language][kind], {
      ...facts,
      merchant: merchant === null ? null : cut(merchant),
    });
  };
  return {
    code: ({ minutes, ...facts }) => text('code', { ...facts, minutes: String(minutes) }),
    confirmation: (facts) => text('confirmation', facts),
    reminder: ({ expiresAt, timeZone, ...facts }) =>
      text('reminder', { ...facts, day: dayIn(locales[language], { expiresAt, timeZone }) }),
    reversal: (facts) => text('reversal', facts),
  };
}

/** Every text of the service's own, by language. */
export const ownerMessages = messageTexts({});

/** The message that an owner may miss. */
export interface MissedMessage extends MessageCounts {
  readonly kind: 'VERIFICATION_CODE' | 'REDEMPTION_CONFIRMATION';
  /** The status of the newest sending. */
  readonly status: 'QUEUED' | 'SENDING' | 'SENT' | 'REFUSED' | 'UNKNOWN' | 'CANCELLED';
}

/**
 * Whether an owner may miss a message. A code can be lost after the provider has accepted it; a
 * confirmation is only for information.
 */
export const isMissed = ({ kind, status }: Pick<MissedMessage, 'kind' | 'status'>): boolean =>
  kind === 'VERIFICATION_CODE' || status !== 'SENT';

/** Facts read for a resend, with the voucher's row and the number locked. */
export interface ResendFacts extends CompanyAuthority {
  readonly hasVoucher: boolean;
  /** The code of the open claim, else the confirmation of the last paid redemption. */
  readonly message: MissedMessage | undefined;
}

/** Checks a resend: the first failing rule is the refusal, undefined permits the resend. */
export function refuseResend(facts: ResendFacts, limits: MessageLimits): Refusal | undefined {
  const { message } = facts;
  const refusal = refusePartner(facts);
  if (refusal) return refusal;
  if (!facts.hasVoucher) return refuse('voucher-id-not-found');
  if (!message || !isMissed(message)) return refuse('nothing-to-resend');
  if (message.status === 'QUEUED' || message.status === 'SENDING')
    return refuse('resend-too-soon', { retryAfterSeconds: 1 });
  if (message.secondsUntilNextMessage > 0)
    return refuse('resend-too-soon', { retryAfterSeconds: message.secondsUntilNextMessage });
  return refuseMessage(message, limits);
}
