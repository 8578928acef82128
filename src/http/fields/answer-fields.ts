import { z } from 'zod';

/** The fields that several answers have, each with its meaning and an example. */

export const idAnswer = (what: string) =>
  z.int().meta({ description: `Identifier of the ${what}`, examples: [17] });

export const timeAnswer = (what: string) =>
  z.iso
    .datetime()
    .meta({ description: `${what}, ISO 8601 in UTC`, examples: ['2026-11-21T20:55:04.459Z'] });

/** As the database keeps money: a decimal string with 6 fraction digits. */
export const moneyAnswer = (what: string, example = '500.000000') =>
  z.string().meta({
    description: `${what}; a decimal string with 6 fraction digits`,
    examples: [example],
    pattern: '^[0-9]+[.][0-9]{6}$',
  });

/** Text with its meaning. */
export const textAnswer = (description: string, ...examples: string[]) =>
  z.string().meta({ description, examples });

/** The kinds of top-ups. */
export const topupKindAnswer = z
  .enum(['AIRTIME', 'PACKAGE'])
  .meta({ title: 'TopUpKind', description: 'What is sent', examples: ['AIRTIME'] });

/** The mobile operator of a phone number. */
export const operatorAnswer = z
  .enum(['ETHIO_TELECOM', 'SAFARICOM_ETHIOPIA'])
  .meta({ title: 'MobileOperator', description: 'Operator of the number' });

/** The wallets that pay. */
export const payingWalletAnswer = z
  .enum(['gift', 'airtime'])
  .meta({ title: 'PayingWallet', description: 'The wallet', examples: ['gift'] });

/** The state of one payment or delivery. */
export const attemptStatusAnswer = z
  .enum(['PROCESSING', 'SUCCESS', 'FAILED'])
  .meta({ title: 'AttemptStatus', description: 'State of the attempt', examples: ['SUCCESS'] });

/** A phone number as answers show it. */
export const maskedMsisdnAnswer = z.string().meta({
  description: 'Phone number, partly masked; `erased` where the number was erased',
  examples: ['+2519*****567'],
  pattern: '^([+]?[0-9]+[*]{3,}[0-9]+|erased)$',
});
