import type { SurfaceRoutes } from '../../src/http/app.ts';
import { merchantInitiateClaimEndpoint } from '../../src/merchant/vouchers.ts';

/**
 * The merchant's initiate-claim without the check of its signature: the service has no setting for
 * that, and only a benchmark has these routes.
 */
export const unsignedRoutes: SurfaceRoutes = {
  surface: 'merchant',
  basePath: '/bench/merchant',
  endpoints: [{ ...merchantInitiateClaimEndpoint, access: 'token', scope: 'vouchers' }],
};
