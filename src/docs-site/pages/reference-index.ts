import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { Surface } from '../../domain/refusals.ts';
import { endpointGroups } from '../../openapi/both-documents.ts';
import { templateOf } from '../../openapi/document.ts';
import { markdownTable } from '../markdown.ts';
import { DOCS_PATH, type DocsPage } from '../page.ts';
import { indexPath, operationAddress } from '../reference-paths.ts';
import { markdownPage } from './markdown-page.ts';

const TITLES = { partner: 'Partner API', merchant: 'Merchant API' };

/** The endpoints of an API by subject, each with a link to its page. */
export const referenceIndex = (surface: Surface, document: () => OpenAPIObject): DocsPage =>
  markdownPage({
    path: indexPath(surface),
    title: TITLES[surface],
    summary: 'Access, envelope, and every endpoint',
    markdown: () => textOf(surface, document()),
  });

function textOf(surface: Surface, { info, servers }: OpenAPIObject): string {
  const groups = endpointGroups(surface).map(({ name, description, endpoints }) => {
    const rows = endpoints.map((endpoint) => [
      `[${endpoint.summary}](${operationAddress(surface, endpoint)})`,
      `\`${endpoint.method} ${templateOf(endpoint.path)}\``,
    ]);
    return `## ${name}\n\n${description}\n\n${markdownTable(['Purpose', 'Endpoint'], rows)}`;
  });
  return [
    `# ${TITLES[surface]}`,
    info.description ?? '',
    `Base address: \`${servers?.[0]?.url}\`. For tools: [OpenAPI 3.1 document](${DOCS_PATH}/${surface}/openapi.json).`,
    ...groups,
    '',
  ].join('\n\n');
}
