import type { ListPage } from '../../db/lists/list-page.ts';
import type { ListQuery, ListSource } from '../../db/lists/list-query.ts';
import type { CompanyKind } from '../../db/schema/all-tables.ts';
import { mayUse } from '../../domain/access/portal-role.ts';
import type { ListParameter } from '../../http/lists/list-filters.ts';
import { type ListRequest, listQuery } from '../../http/lists/list-query.ts';
import { csv } from '../../rendering/csv.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { type AccountPage, type AccountRequest, type PageAnswer, PORTAL_PATH } from '../page.ts';
import { problems } from '../problem-page.ts';
import { DOWNLOAD_ROWS } from './downloads.ts';
import { type FilterField, filterForm } from './filter-form.ts';
import { addressOf, pageNumber, paging } from './paging.ts';
import { emptyState, type TableColumn, table } from './parts.ts';

const ROWS = 25;

/** The definition of one list of the portal. */
export interface ListView<Row> {
  /** Below the portal's base path. */
  readonly path: string;
  readonly kind: CompanyKind;
  readonly title: string;
  readonly intro: Html;
  readonly source: ListSource<Row>;
  readonly filters: Readonly<Record<string, FilterField & ListParameter>>;
  readonly columns: readonly TableColumn<Row>[];
  /** Shown while there are no rows. */
  readonly nothingYet: string;
  /** The columns of its CSV download, if it has one. */
  readonly download?: Readonly<Record<string, (row: Row) => string | null>>;
}

interface ReadFilters {
  /** The filled-in fields. */
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string>>;
  /** Undefined where a field is invalid. */
  readonly query?: ListRequest;
}

/** Parses the form with the query of the API's lists; other parameters are ignored. */
function readFilters<Row>({ source, filters }: ListView<Row>, sent: URLSearchParams): ReadFilters {
  const values = Object.fromEntries(
    Object.keys(filters)
      .map((name) => [name, sent.get(name)?.trim() ?? ''] as const)
      .filter(([, value]) => value !== ''),
  );
  const schema = listQuery({
    source,
    parameters: filters,
    defaultSort: [['id', 'DESC']],
    defaultLimit: ROWS,
  });
  const read = schema.safeParse(values);
  if (read.success) return { values, problems: {}, query: read.data };
  const found = read.error.issues.map(({ path, message }) => [String(path[0]), message]);
  return { values, problems: Object.fromEntries(found.reverse()) };
}

/** The page of a list: filter form, rows and links to further pages. */
export const listPage = <Row>(view: ListView<Row>): AccountPage => ({
  method: 'GET',
  path: view.path,
  access: 'account',
  needs: 'read',
  kind: view.kind,
  async handle(request) {
    const page = pageNumber(request.query);
    const filters = readFilters(view, request.query);
    if (page === undefined) return problems.notFound;
    const found = filters.query && (await readRows(request, view, { ...filters.query, page }));
    if (filters.query && !found) return problems.busy;
    if (found?.items.length === 0 && page > 1) return problems.notFound;
    return {
      kind: 'page',
      title: view.title,
      ...(found ? {} : { status: 422 }),
      content: html`<h1>${phrase(view.title)}</h1>
${view.intro}
<section class="card">
${filterForm({ action: PORTAL_PATH + view.path, fields: view.filters, ...filters })}
${found && rows(view, found, { ...filters, page, mayExport: mayUse(request.session.role, 'export') })}
</section>`,
    };
  },
});

const readRows = <Row>(request: AccountRequest, view: ListView<Row>, query: ListQuery) =>
  request.services.lists.readPage(view.source, request.session.company, {
    ...query,
    isCountBounded: true,
  });

function rows<Row>(
  view: ListView<Row>,
  { items, totalItems, isAtLeast }: ListPage<Row>,
  { values, page, mayExport }: ReadFilters & { readonly page: number; readonly mayExport: boolean },
): Html {
  const path = PORTAL_PATH + view.path;
  if (items.length === 0)
    return Object.keys(values).length === 0
      ? emptyState('None yet', view.nothingYet)
      : emptyState('No matches', 'No entry matches the filters. Change the form above.');
  return html`${table(view.title, items, view.columns)}
${paging({ path, values, page, limit: ROWS, totalItems, isAtLeast })}
${
  view.download &&
  mayExport &&
  html`<p><a href="${addressOf(`${path}/download`, values)}">Download as CSV</a></p>`
}`;
}

/** The CSV download of a list, filtered by the same form. */
export const listDownload = <Row>(
  view: ListView<Row> & Required<Pick<ListView<Row>, 'download'>>,
): AccountPage => ({
  method: 'GET',
  path: `${view.path}/download`,
  access: 'account',
  needs: 'export',
  kind: view.kind,
  async handle(request): Promise<PageAnswer> {
    const { query } = readFilters(view, request.query);
    if (!query) return problems.invalid;
    const found = await readRows(request, view, { ...query, limit: DOWNLOAD_ROWS });
    if (!found) return problems.busy;
    const { items, totalItems } = found;
    if (totalItems > items.length) return problems.tooManyRows;
    const columns = Object.entries(view.download);
    return {
      kind: 'file',
      name: `${view.path.slice(1)}.csv`,
      type: 'text/csv',
      content: csv([
        columns.map(([title]) => title),
        ...items.map((row) => columns.map(([, value]) => value(row))),
      ]),
    };
  },
});
