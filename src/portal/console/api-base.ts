import type { CompanyKind } from '../../db/schema/all-tables.ts';
import type { SurfaceRoutes } from '../../http/app.ts';
import { merchantRoutes } from '../../merchant/routes.ts';
import { partnerRoutes } from '../../partner/routes.ts';
import type { AccountRequest } from '../page.ts';

/** The API for companies of a kind. */
export const apiOf = (kind: CompanyKind): SurfaceRoutes =>
  kind === 'partner' ? partnerRoutes : merchantRoutes;

/** The base address of a company's API. */
export const apiBase = ({ services, session }: AccountRequest): string =>
  services.settings.publicUrl + apiOf(session.company.kind).basePath;

/** The signed routes of an API, in the form of recorded calls. */
export function signedRoutesOf(kind: CompanyKind): string[] {
  const { basePath, endpoints } = apiOf(kind);
  return endpoints.filter(({ access }) => access === 'signed').map(({ path }) => basePath + path);
}
