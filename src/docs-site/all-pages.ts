import type { Surface } from '../domain/refusals.ts';
import { once } from '../http/once.ts';
import { merchantRoutes } from '../merchant/routes.ts';
import { endpointGroups, openApiDocuments } from '../openapi/both-documents.ts';
import { withoutReferences } from '../openapi/components.ts';
import { partnerRoutes } from '../partner/routes.ts';
import { guides } from './guides.ts';
import type { SiteAddresses } from './markdown.ts';
import type { DocsPage } from './page.ts';
import { changelogPage } from './pages/changelog.ts';
import { downloadsPage } from './pages/downloads.ts';
import { errorsPage } from './pages/errors.ts';
import { guidePage } from './pages/guide.ts';
import { homePage } from './pages/home.ts';
import { operationPage } from './pages/operation.ts';
import { referenceIndex } from './pages/reference-index.ts';

export interface SiteSettings extends SiteAddresses {
  readonly environment: 'test' | 'production';
}

/** The pages of the site under what they belong to. */
interface PageGroup {
  readonly title: string;
  readonly pages: readonly DocsPage[];
}

/** Every page, in the order of the menu. */
export function allPages(settings: SiteSettings): PageGroup[] {
  return [
    { title: 'Begin', pages: [homePage] },
    { title: 'Guides', pages: guides().map((guide) => guidePage(guide, settings)) },
    { title: 'Partner API', pages: reference('partner', settings) },
    { title: 'Merchant API', pages: reference('merchant', settings) },
    { title: 'Further', pages: [errors, downloadsPage, changelogPage] },
  ];
}

const errors = errorsPage([
  { title: 'Partner API', routes: partnerRoutes },
  { title: 'Merchant API', routes: merchantRoutes },
]);

function reference(surface: Surface, { publicUrl, environment }: SiteSettings): DocsPage[] {
  const document = once(() => withoutReferences(openApiDocuments(publicUrl)[surface]));
  const canTry = environment === 'test';
  return [
    referenceIndex(surface, document),
    ...endpointGroups(surface).flatMap(({ endpoints }) =>
      endpoints.map((endpoint) => operationPage(surface, endpoint, { document, canTry })),
    ),
  ];
}
