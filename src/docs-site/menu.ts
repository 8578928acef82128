import type { Surface } from '../domain/refusals.ts';
import { endpointGroups } from '../openapi/both-documents.ts';
import { type Html, html } from '../rendering/html.ts';
import { guides } from './guides.ts';
import { DOCS_PATH } from './page.ts';
import { indexPath, operationPath } from './reference-paths.ts';

interface Entry {
  readonly path: string;
  readonly label: string;
}

/** Links under a name of their own. */
interface Group {
  readonly name?: string;
  readonly entries: readonly Entry[];
}

/** The list beside every page: the part that the page belongs to is open, and the page is marked. */
export function menu(here: string): Html {
  const parts = [
    {
      title: 'Guides',
      groups: [{ entries: guides().map(({ path, title }) => ({ path, label: title })) }],
    },
    { title: 'Partner API', groups: referenceGroups('partner') },
    { title: 'Merchant API', groups: referenceGroups('merchant') },
  ];
  const isHere = ({ entries }: Group) => entries.some(({ path }) => path === here);
  const open = parts.find(({ groups }) => groups.some(isHere)) ?? parts[0];
  const list = ({ name, entries }: Group) =>
    html`${name && html`<p class="menu-group">${name}</p>`}<ul>${entries.map((entry) => link(entry, here))}</ul>`;
  return html`<nav id="menu" class="menu" aria-label="Documentation">
${parts.map(
  (part) => html`<details${part === open && html` open`}><summary>${part.title}</summary>
${part.groups.map(list)}</details>
`,
)}<ul>${FURTHER.map((entry) => link(entry, here))}</ul>
<a class="menu-close" href="#main">Close the menu</a>
</nav>`;
}

const FURTHER: readonly Entry[] = [
  { path: '/errors', label: 'Errors' },
  { path: '/downloads', label: 'Downloads' },
  { path: '/changelog', label: 'Changelog' },
];

const referenceGroups = (surface: Surface): Group[] => [
  { entries: [{ path: indexPath(surface), label: 'All endpoints' }] },
  ...endpointGroups(surface).map(({ name, endpoints }) => ({
    name,
    entries: endpoints.map((endpoint) => ({
      path: operationPath(surface, endpoint),
      label: endpoint.summary,
    })),
  })),
];

const link = ({ path, label }: Entry, here: string): Html =>
  html`<li><a href="${DOCS_PATH}${path}"${path === here && html` aria-current="page"`}>${label}</a></li>`;
