import type { SurfaceRoutes } from '../http/app.ts';
import { africasTalkingCallback } from './africas-talking.ts';
import { airtimeCallback } from './airtime.ts';
import { gsmaCallback } from './gsma.ts';
import { mpesaCallback } from './mpesa.ts';
import { reloadlyCallback } from './reloadly.ts';

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
