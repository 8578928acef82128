import { z } from 'zod';
import type { List } from '../../db/lists/list.ts';
import type { ListPage, ListQuery } from '../../db/lists/list-page.ts';
import { mayUse } from '../../domain/access.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import type { ListParameter } from '../../http/lists/list-filters.ts';
import { type ListRequest, listQuery } from '../../http/lists/list-query.ts';
import { csv } from '../../rendering/csv.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { beginningOf } from '../language/time-zone.ts';
import { type FilterField, filterForm } from '../layout/forms.ts';
import { listAddress, pageNumber, paging } from '../layout/paging.ts';
import {
  DOWNLOAD_ROWS,
  daySchema,
  daysAfter,
  emptyState,
  type TableColumn,
  table,
} from '../layout/parts.ts';
import {
  type AccountRequest,
  type FileAnswer,
  type PageAnswer,
  PORTAL_PATH,
  type PortalPage,
  portal,
} from '../page.ts';

type Filter = FilterField & ListParameter;

const text = z.string().max(100, 'Enter at most 100 characters.');

/** Filters that lists share, each for a column of the list. */
export const listFilters = {
  /** Exact match. */
  exact: (label: string, column: string): Filter => ({
    label,
    column,
    operator: 'eq',
    schema: text,
  }),
  oneOf: <Value extends string>(
    label: string,
    column: string,
    options: readonly (readonly [Value, string])[],
  ): Filter => ({
    label,
    column,
    options,
    // A choice may stand for several values.
    operator: 'in',
    schema: z.enum(
      options.map(([value]) => value),
      'Choose one of these.',
    ),
  }),
  fromDay: (label: string, column: string): Filter => ({
    label,
    column,
    isDay: true,
    operator: 'gte',
    schema: daySchema.transform((day) => beginningOf(day).toISOString()),
  }),
  /** That day inclusive. */
  toDay: (label: string, column: string): Filter => ({
    label,
    column,
    isDay: true,
    operator: 'lt',
    schema: daySchema.transform((day) => beginningOf(daysAfter(day, 1)).toISOString()),
  }),
};

const ROWS = 25;

/** The columns of a file, by their titles. */
export type FileColumns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>;

/** Rows as a file for spreadsheets. */
export function csvFile<Row>(
  name: string,
  rows: readonly Row[],
  download: FileColumns<Row>,
): FileAnswer {
  const columns = Object.entries(download);
  return {
    kind: 'file',
    name: `${name}.csv`,
    type: 'text/csv',
    content: csv([
      columns.map(([title]) => title),
      ...rows.map((row) => columns.map(([, value]) => value(row))),
    ]),
  };
}

/** A field of a list: what its table shows, what its file has, or both. */
type ListField<Row> = (
  | TableColumn<Row>
  | { readonly title: string; readonly value?: undefined }
) & {
  readonly file?: (row: Row) => string | null;
  /** Its title in the file, where that differs. */
  readonly fileTitle?: string;
};

/** The definition of one list of the portal. */
interface ListView<Row> {
  /** Below the portal's base path. */
  readonly path: string;
  readonly kind: CompanyKind;
  readonly title: string;
  readonly intro: Html;
  readonly list: List<Row>;
  readonly filters: Readonly<Record<string, Filter>>;
  readonly fields: readonly ListField<Row>[];
  /** Shown while there are no rows. */
  readonly nothingYet: string;
}

interface ReadFilters {
  /** The filled-in fields. */
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string>>;
  /** Undefined where a field is invalid. */
  readonly query?: ListRequest;
}

/** Parses the form with the query of the API's lists; other parameters are ignored. */
function readFilters<Row>({ list, filters }: ListView<Row>, sent: URLSearchParams): ReadFilters {
  const values = Object.fromEntries(
    Object.keys(filters)
      .map((name) => [name, sent.get(name)?.trim() ?? ''] as const)
      .filter(([, value]) => value !== ''),
  );
  const read = listQuery({ list, parameters: filters, defaultLimit: ROWS }).safeParse(values);
  if (read.success) return { values, problems: {}, query: read.data };
  const found = read.error.issues.map(({ path, message }) => [String(path[0]), message]);
  return { values, problems: Object.fromEntries(found.reverse()) };
}

/** The pages of a list: its page, and its file. */
export const listPages = <Row>(view: ListView<Row>): readonly PortalPage[] => [
  listPage(view),
  listDownload(view),
];

/** Filter form, rows and links to further pages. */
const listPage = <Row>(view: ListView<Row>): PortalPage =>
  portal.page({
    path: view.path,
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
        status: found ? undefined : 422,
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
  request.services.lists.readPage(view.list, request.session.company, {
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
  return html`${table(
    view.title,
    items,
    view.fields.filter((field) => field.value !== undefined),
  )}
${paging({ path, values, page, limit: ROWS, totalItems, isAtLeast })}
${mayExport && html`<p><a href="${listAddress(`${path}/download`, values)}">Download as CSV</a></p>`}`;
}

/** The CSV download of a list, filtered by the same form. */
const listDownload = <Row>(view: ListView<Row>): PortalPage =>
  portal.page({
    path: `${view.path}/download`,
    needs: 'export',
    kind: view.kind,
    async handle(request): Promise<PageAnswer> {
      const { query } = readFilters(view, request.query);
      if (!query) return problems.invalid;
      const found = await readRows(request, view, { ...query, limit: DOWNLOAD_ROWS });
      if (!found) return problems.busy;
      const { items, totalItems } = found;
      if (totalItems > items.length) return problems.tooManyRows;
      const columns = view.fields.flatMap(({ title, file, fileTitle = title }) =>
        file ? [[fileTitle, file] as const] : [],
      );
      return csvFile(view.path.slice(1), items, Object.fromEntries(columns));
    },
  });
