import { PORTAL_PATH } from './page.ts';

/**
 * The page of keys, addresses and public keys, with the anchors `#keys`, `#addresses`,
 * `#public-keys`.
 */
export const ACCESS_PATH = `${PORTAL_PATH}/access`;
