import { brunoCollection } from './clients/bruno-collection.js';
import { pythonClient } from './clients/python-client.js';
import { typescriptClient } from './clients/typescript-client.js';
import { endpointsPage } from './endpoints.js';
import { errorsPage } from './errors.js';
import { eventsPage } from './events.js';
import { metricsPage } from './metrics.js';
import { settingsPage } from './settings.js';

/** Every page and file that is made of a source, by its path. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/reference/settings.md': settingsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/endpoints.md': endpointsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/metrics.md': metricsPage,
  'clients/typescript/src/generated/partner.ts': () => typescriptClient('partner'),
  'clients/typescript/src/generated/merchant.ts': () => typescriptClient('merchant'),
  'clients/python/src/voucher_topup/generated/partner.py': () => pythonClient('partner'),
  'clients/python/src/voucher_topup/generated/merchant.py': () => pythonClient('merchant'),
  ...brunoCollection('partner'),
  ...brunoCollection('merchant'),
};
