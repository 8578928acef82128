import type { Month } from './monthly-statement.ts';

interface StatementFacts {
  readonly company: string;
  readonly month: Month;
  /** The time zone of the month: an IANA name. */
  readonly zone: string;
  /** The portal's pages of statements, and of the person's account. */
  readonly statementsUrl: string;
  readonly accountUrl: string;
}

interface Message {
  readonly subject: string;
  readonly text: string;
}

/** The e-mail with a monthly statement, by the language of its reader. */
export const statementMessages: Readonly<Record<'en' | 'am', (facts: StatementFacts) => Message>> =
  {
    en: ({ company, month, zone, statementsUrl, accountUrl }) => ({
      subject: `Statement of ${company} for ${month}`,
      text: `The monthly statement of ${company} for ${month} is attached: as a page to print, and as a file for
spreadsheets. Amounts are in ETB; the month is that of ${zone}.

All statements: ${statementsUrl}

You get this e-mail because of your role in the voucher portal. You can switch it off on the page
of your account: ${accountUrl}
`,
    }),
    am: ({ company, month, zone, statementsUrl, accountUrl }) => ({
      subject: `የ${company} መግለጫ፣ ${month}`,
      text: `የ${company} የ${month} ወርሃዊ መግለጫ ተያይዟል፦ ለማተም እንደ ገጽ፣ ለሠንጠረዥ ፕሮግራሞች እንደ ፋይል። መጠኖች በብር ናቸው፤ ወሩ በ${zone} ሰዓት
ክልልና በጎርጎርዮሳዊ አቆጣጠር ነው።

ሁሉም መግለጫዎች፦ ${statementsUrl}

ይህ ኢሜይል የደረሰዎት በቫውቸር ፖርታሉ ባለዎት ሚና ምክንያት ነው። በመለያዎ ገጽ ሊያጠፉት ይችላሉ፦ ${accountUrl}
`,
    }),
  };
