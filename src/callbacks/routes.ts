import type { SurfaceRoutes } from '../http/app.js';
import { africasTalkingCallback } from './africas-talking.js';
import { airtimeCallback } from './airtime.js';
import { gsmaCallback } from './gsma.js';
import { mpesaCallback } from './mpesa.js';
import { reloadlyCallback } from './reloadly.js';

/** The routes of provider callbacks. */
export const callbackRoutes: SurfaceRoutes = {
  surface: 'partner',
  basePath: '/callbacks',
  endpoints: [
    africasTalkingCallback,
    airtimeCallback,
    gsmaCallback,
    mpesaCallback,
    reloadlyCallback,
  ],
};
