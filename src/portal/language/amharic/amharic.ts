import { account } from './account.js';
import { bulk } from './bulk.js';
import { business } from './business.js';
import { catalogue } from './catalogue.js';
import { common } from './common.js';
import { months } from './months.js';
import { overview } from './overview.js';
import { refusals } from './refusals.js';
import { topUps } from './top-ups.js';

/**
 * The Amharic of the portal, by the English texts. The pages of API access are in English, as the
 * documentation is: their readers are developers.
 */
export const amharic = {
  ...common,
  ...account,
  ...business,
  ...topUps,
  ...months,
  ...overview,
  ...bulk,
  ...catalogue,
  ...refusals,
} as const;
