import { readAsset } from '../../http/files.ts';
import { PORTAL_PATH } from '../page.ts';

const folder = new URL('../assets/', import.meta.url);

/** All files that pages load. */
export const assets = {
  stylesheet: readAsset(folder, 'portal.css', PORTAL_PATH),
  pageScript: readAsset(folder, 'page.js', PORTAL_PATH),
  logo: readAsset(folder, 'logo.svg', PORTAL_PATH),
};
