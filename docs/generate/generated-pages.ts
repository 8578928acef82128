import { endpointsPage } from './endpoints.js';
import { errorsPage } from './errors.js';
import { settingsPage } from './settings.js';

/** Every page that is made of a source, by its path. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  'docs/reference/settings.md': settingsPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/endpoints.md': endpointsPage,
};
