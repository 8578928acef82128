import type { SurfaceRoutes } from '../http/app.ts';
import { africasTalkingCallback } from './africas-talking.ts';
import { airtimeCallback, reloadlyCallback } from './airtime.ts';
import { gsmaCallback } from './gsma.ts';
import { mpesaCallback } from './mpesa.ts';

/** The routes of provider callbacks. */
export const callbackRoutes: SurfaceRoutes = {
  surface: 'partner',
  audience: 'other',
  basePath: '/callbacks',
  endpoints: [
    africasTalkingCallback,
    airtimeCallback,
    gsmaCallback,
    mpesaCallback,
    reloadlyCallback,
  ],
};
