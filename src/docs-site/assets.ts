import { fileURLToPath } from 'node:url';
import { readModules } from '../http/files/module-assets.ts';
import { readAsset } from '../http/files/static-assets.ts';
import { assets as portalAssets } from '../portal/assets.ts';
import { DOCS_PATH } from './page.ts';

const folder = new URL('./assets/', import.meta.url);

const [signModule, ...signImports] = readModules(
  fileURLToPath(new URL('sign.js', folder)),
  DOCS_PATH,
);

/** What pages load beside the portal's style and logo, which they share. */
export const ownAssets = {
  stylesheet: readAsset(folder, 'docs.css', DOCS_PATH),
  /** Tabs of languages, buttons that copy, and marks in the lists beside a page. */
  script: readAsset(folder, 'docs.js', DOCS_PATH),
  /** Sends the calls of forms; the portal's console has it, too. */
  tryItScript: readAsset(folder, 'try-it.js', DOCS_PATH),
  /** Signs a merchant's call in the browser; "Try it" imports it when it is needed. */
  signModule,
};

/** What the modules of `ownAssets` import. */
export const importedAssets = signImports;

export const sharedAssets = { stylesheet: portalAssets.stylesheet, logo: portalAssets.logo };
