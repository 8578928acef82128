import type { CompanyKind } from '../db/schema/all-tables.js';
import type { SurfaceRoutes } from '../http/app.js';
import { merchantRoutes } from '../merchant/routes.js';
import { partnerRoutes } from '../partner/routes.js';
import type { AccountRequest } from './page.js';

/** The API that companies of a kind call. */
export const apiOf = (kind: CompanyKind): SurfaceRoutes =>
  kind === 'partner' ? partnerRoutes : merchantRoutes;

/** The address below which a company's API is. */
export const apiBase = ({ services, session }: AccountRequest): string =>
  services.settings.publicUrl + apiOf(session.company.kind).basePath;

/** The routes of an API whose calls are signed, as calls are recorded by them. */
export function signedRoutesOf(kind: CompanyKind): string[] {
  const { basePath, endpoints } = apiOf(kind);
  return endpoints.filter(({ access }) => access === 'signed').map(({ path }) => basePath + path);
}
