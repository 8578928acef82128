import { account } from './account.ts';
import { bulk } from './bulk.ts';
import { business } from './business.ts';
import { catalogue } from './catalogue.ts';
import { common } from './common.ts';
import { confirmations } from './confirmations.ts';
import { months } from './months.ts';
import { overview } from './overview.ts';
import { refusals } from './refusals.ts';
import { topUps } from './top-ups.ts';

/**
 * The Amharic of the portal, by the English texts. The pages of API access are in English, as the
 * documentation is: their readers are developers.
 */
export const amharic = {
  ...common,
  ...account,
  ...confirmations,
  ...business,
  ...topUps,
  ...months,
  ...overview,
  ...bulk,
  ...catalogue,
  ...refusals,
} as const;
