import type { SurfaceRoutes } from '../http/app.js';
import { airtimeCallback } from './airtime.js';

/** Where providers call back. */
export const callbackRoutes: SurfaceRoutes = {
  surface: 'partner',
  basePath: '/callbacks',
  endpoints: [airtimeCallback],
};
