import { brunoCollection } from './clients/bruno-collection.ts';
import { readmeWithMethods, snake } from './clients/method-tables.ts';
import { pythonClient } from './clients/python-client.ts';
import { typescriptClient } from './clients/typescript-client.ts';
import { endpointsPage } from './endpoints.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { metricsPage } from './metrics.ts';
import { retentionPage } from './retention.ts';
import { settingsPage } from './settings.ts';

/** Every page and file that is made of a source, by its path. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/reference/settings.md': settingsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/endpoints.md': endpointsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/metrics.md': metricsPage,
  'docs/reference/retention.md': retentionPage,
  'clients/typescript/src/generated/partner.ts': () => typescriptClient('partner'),
  'clients/typescript/src/generated/merchant.ts': () => typescriptClient('merchant'),
  'clients/python/src/voucher_topup/generated/partner.py': () => pythonClient('partner'),
  'clients/python/src/voucher_topup/generated/merchant.py': () => pythonClient('merchant'),
  'clients/typescript/README.md': () =>
    readmeWithMethods('clients/typescript/README.md', (name) => name),
  'clients/python/README.md': () => readmeWithMethods('clients/python/README.md', snake),
  ...brunoCollection('partner'),
  ...brunoCollection('merchant'),
};
