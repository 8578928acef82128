import { isGsm } from './message-parts.ts';

/** The languages of messages to owners: English and Amharic (ISO 639-1). */
export const messageLanguages = ['en', 'am'] as const;
export type MessageLanguage = (typeof messageLanguages)[number];

/** Their names, each in its own language. */
export const languageNames: Readonly<Record<MessageLanguage, string>> = {
  en: 'English',
  am: 'አማርኛ',
};

/** The facts of each kind of message; amounts have two decimals, in ETB. */
export interface MessageFacts {
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
    /** The only merchant that redeems it; null for any. */
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
export const dayIn = (
  locale: string,
  { expiresAt, timeZone }: Pick<MessageFacts['reminder'], 'expiresAt' | 'timeZone'>,
): string =>
  new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', calendar: 'gregory' }).format(
    expiresAt,
  );

/** A part of a message in Amharic has 67 characters: a long name must not cost a part more. */
export const NAME_LENGTH = 30;
export const short = (name: string): string => {
  const letters = [...name];
  if (letters.length <= NAME_LENGTH) return name;
  // An ellipsis is no letter of GSM 03.38.
  const end = isGsm(name) ? '...' : '…';
  return letters.slice(0, NAME_LENGTH - end.length).join('') + end;
};

/** One letter that GSM 03.38 lacks makes all parts of a message as short as those in Amharic. */
const inEnglish = (name: string): string => (isGsm(name) ? name : short(name));

const english: MessageTexts = {
  code: ({ code, amount, merchant, minutes }) =>
    `${code} is your code to redeem ETB ${amount} of your gift voucher` +
    `${merchant === null ? '' : ` at ${inEnglish(merchant)}`}. It is valid for ${minutes} min. Give it only ` +
    'to the cashier you are paying.',
  confirmation: ({ taken, paid, fee, merchant, remaining, reference }) =>
    `ETB ${taken} of your gift voucher was used: ETB ${paid} paid to ${inEnglish(merchant)}, ETB ${fee} ` +
    `service fee. Remaining: ETB ${remaining}. Reference ${reference}.`,
  reminder: ({ remaining, merchant, ...day }) =>
    `Your gift voucher of ETB ${remaining}${merchant === null ? '' : ` at ${inEnglish(merchant)}`} expires on ` +
    `${dayIn('en-GB', day)}. Use it before then.`,
  reversal: ({ amount, merchant, remaining, reference }) =>
    `ETB ${amount} is back on your gift voucher: the payment to ${inEnglish(merchant)} was reversed. ` +
    `Remaining: ETB ${remaining}. Reference ${reference}.`,
};

const amharic: MessageTexts = {
  code: ({ code, amount, merchant, minutes }) =>
    `${code} የስጦታ ቫውቸርዎ ኮድ ነው፤ ${amount} ብር${merchant === null ? '' : ` በ${short(merchant)}`} ` +
    `ለመክፈል። ለ${minutes} ደቂቃ ያገለግላል። ለሚከፍሉት ገንዘብ ተቀባይ ብቻ ይንገሩ።`,
  confirmation: ({ taken, paid, fee, merchant, remaining, reference }) =>
    `ከስጦታ ቫውቸርዎ ${taken} ብር ጥቅም ላይ ውሏል፤ ${paid} ብር ለ${short(merchant)} ተከፍሏል፣ ${fee} ብር የአገልግሎት ክፍያ። ` +
    `ቀሪ፦ ${remaining} ብር። ማጣቀሻ ${reference}።`,
  reminder: ({ remaining, merchant, ...day }) =>
    `የ${remaining} ብር የስጦታ ቫውቸርዎ${merchant === null ? '' : ` (${short(merchant)})`} በ` +
    `${dayIn('am', day)} (እ.ኤ.አ.) ጊዜው ያበቃል። ከዚያ በፊት ይጠቀሙበት።`,
  reversal: ({ amount, merchant, remaining, reference }) =>
    `${amount} ብር ወደ ስጦታ ቫውቸርዎ ተመልሷል፤ ለ${short(merchant)} የተፈጸመው ክፍያ ተሰርዟል። ` +
    `ቀሪ፦ ${remaining} ብር። ማጣቀሻ ${reference}።`,
};

/** Every text of an SMS to an owner, by language: one that lacks a text does not compile. */
export const ownerMessages: Readonly<Record<MessageLanguage, MessageTexts>> = {
  en: english,
  am: amharic,
};
