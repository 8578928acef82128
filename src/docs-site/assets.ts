import { readAsset } from '../http/files/static-assets.js';
import { assets as portalAssets } from '../portal/assets.js';
import { DOCS_PATH } from './page.js';

const folder = new URL('./assets/', import.meta.url);

/** What pages load beside the portal's style and logo, which they share. */
export const ownAssets = {
  stylesheet: readAsset(folder, 'docs.css', DOCS_PATH),
  tryItScript: readAsset(folder, 'try-it.js', DOCS_PATH),
};

export const sharedAssets = { stylesheet: portalAssets.stylesheet, logo: portalAssets.logo };
