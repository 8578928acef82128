import { PORTAL_PATH } from './page.js';

/** The page for keys, addresses and public keys; its parts are `#keys`, `#addresses`, `#public-keys`. */
export const ACCESS_PATH = `${PORTAL_PATH}/access`;
