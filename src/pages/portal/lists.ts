import { z } from 'zod';
import type { List, Sought } from '../../db/lists/list.ts';
import type { ListPage, ListQuery } from '../../db/lists/list-page.ts';
import { mayUse } from '../../domain/access.ts';
import { daysAfter } from '../../domain/local-time.ts';
import { amountText, plainAmount } from '../../domain/money.ts';
import { readSearchTerm } from '../../domain/staff.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import type { ListParameter } from '../../http/lists/list-filters.ts';
import { listQuery } from '../../http/lists/list-query.ts';
import { csv } from '../../rendering/csv.ts';
import { type FieldOf, fieldValue } from '../../rendering/fields.ts';
import { type Html, type HtmlValue, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { beginningOf, fileTime } from '../language/time-zone.ts';
import { type FilterField, filterForm } from '../layout/forms.ts';
import { listAddress, pageNumber, paging } from '../layout/paging.ts';
import {
  DOWNLOAD_ROWS,
  daySchema,
  emptyState,
  REVERSED_DAYS,
  type TableColumn,
  table,
  timeColumn,
} from '../layout/parts.ts';
import {
  type AccountRequest,
  type FileAnswer,
  type PageAnswer,
  PORTAL_PATH,
  type PortalPage,
  portal,
  redirect,
} from '../page.ts';

type Filter = FilterField & ListParameter;

/** Filters that lists share, each for a column of the list. */
export const listFilters = {
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
  toDay: (label: string): Filter => ({
    label,
    column: 'createdAt',
    isDay: true,
    operator: 'lt',
    schema: daySchema.transform((day) => beginningOf(daysAfter(day, 1)).toISOString()),
  }),
};

const ROWS = 25;

/** A cell of a file: a time has the offset of the zone of the person. */
type FileCell = string | number | Date | null;

/** The columns of a file, by their titles. */
export type FileColumns<Row> = Readonly<Record<string, FieldOf<Row, FileCell>>>;

/** Rows as a file for spreadsheets. */
export function csvFile<Row>(
  name: string,
  rows: readonly Row[],
  download: FileColumns<NoInfer<Row>>,
): FileAnswer {
  const columns = Object.entries(download);
  return {
    kind: 'file',
    name: `${name}.csv`,
    type: 'text/csv',
    content: csv([
      columns.map(([title]) => title),
      ...rows.map((row) =>
        columns.map(([, field]) => {
          const cell = fieldValue<Row, FileCell>(row, field);
          return cell instanceof Date ? fileTime(cell) : cell;
        }),
      ),
    ]),
  };
}

/** A field of a list: what its table shows, what its file has, or both. */
type ListField<Row> = Pick<TableColumn<Row>, 'title' | 'phone' | 'align'> & {
  readonly value?: FieldOf<Row, HtmlValue | Date>;
  readonly file?: FieldOf<Row, FileCell>;
  /** Its title in the file, where that differs. */
  readonly fileTitle?: string;
};

/** A field of amounts in ETB, by its name in the row. */
export const listedAmount = <Name extends string>(
  name: Name,
  title: string,
  fileTitle: string,
  phone?: 'figure etb',
) => {
  type Row = Readonly<Record<Name, string>>;
  return {
    title,
    ...(phone && { phone }),
    value: (row: Row) => amountText(row[name]),
    align: 'right' as const,
    fileTitle,
    file: (row: Row) => plainAmount(row[name]),
  };
};

/** A field of times, by its name in the row. */
export const listedTime = <Name extends string>(name: Name, title: string) => ({
  ...timeColumn(title, name),
  file: (row: Readonly<Record<Name, Date>>) => row[name],
});

/** The definition of one list of the portal. */
interface ListView<Row> {
  /** Below the portal's base path. */
  readonly path: string;
  readonly kind: CompanyKind;
  readonly title: string;
  readonly intro: Html;
  readonly list: List<Row>;
  readonly filters: Readonly<Record<string, Filter>>;
  readonly fields: readonly ListField<NoInfer<Row>>[];
  /** Shown while there are no rows. */
  readonly nothingYet: string;
}

interface ReadFilters {
  /** The filled-in fields. */
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, string>>;
  readonly sought?: Sought;
  /** Undefined where a field is invalid. */
  readonly query?: ListQuery;
}

const SEARCH = 'search';
export const searchField: FilterField = { label: 'Phone number, serial number or reference' };

/** The fields of a list's form: first the search, where the list has one. */
const fieldsOf = <Row>({
  list,
  filters,
}: ListView<Row>): Readonly<Record<string, FilterField>> => ({
  ...(list.finds && { [SEARCH]: searchField }),
  ...filters,
});

/** Parses the form with the query of the API's lists; other parameters are ignored. */
function readFilters<Row>(
  { services }: AccountRequest,
  view: ListView<Row>,
  textOf: (name: string) => string,
): ReadFilters {
  const values = Object.fromEntries(
    Object.keys(fieldsOf(view))
      .map((name) => [name, textOf(name).trim()] as const)
      .filter(([, value]) => value !== ''),
  );
  const { [SEARCH]: text, ...filtered } = values;
  const sought = text === undefined ? undefined : soughtBy(services, text);
  const read = listQuery({
    list: view.list,
    parameters: view.filters,
    defaultLimit: ROWS,
  }).safeParse(filtered);
  const { from, to } = filtered;
  const isReversed = from !== undefined && to !== undefined && from > to;
  if (read.success && !isReversed && (sought || text === undefined)) {
    const query = sought ? { ...read.data, sought, isUsual: false } : read.data;
    return { values, problems: {}, query, ...(sought && { sought }) };
  }
  const found = read.error?.issues.map(({ path, message }) => [String(path[0]), message]) ?? [];
  const wrong = {
    ...(text && !sought && { [SEARCH]: UNREADABLE_SEARCH }),
    ...(isReversed && { from: REVERSED_DAYS }),
  };
  return {
    values,
    problems: { ...wrong, ...Object.fromEntries(found.reverse()) },
    ...(sought && { sought }),
  };
}

export const UNREADABLE_SEARCH = 'Enter a phone number, a serial number or a reference.';

/** The text of the search field as everything that it may be; undefined where it can be nothing of ours. */
export function soughtBy(
  { digests }: AccountRequest['services'],
  text: string,
): Sought | undefined {
  const term = readSearchTerm(text);
  // A code is sought nowhere, so that it stands in no address.
  if (term === undefined || term.voucherCode !== undefined) return undefined;
  const { msisdn, serialNumber, topupId, uuid, reference } = term;
  return {
    ...(msisdn !== undefined && { numberHash: digests.numberHash(msisdn) }),
    ...(serialNumber !== undefined && { serialNumber }),
    ...(topupId !== undefined && { id: topupId }),
    ...(uuid !== undefined && { uuid }),
    ...(reference !== undefined && { reference }),
  };
}

/** The pages of a list: its page, its file, and its search. */
export const listPages = <Row>(view: ListView<Row>): readonly PortalPage[] => [
  listPage(view),
  listDownload(view),
  ...(view.list.finds ? findPages(view) : []),
];

/** Filter form, rows and links to further pages. */
const listPage = <Row>(view: ListView<Row>): PortalPage =>
  portal.page({
    path: view.path,
    needs: 'read',
    kind: view.kind,
    handle(request) {
      const page = pageNumber(request.query);
      if (page === undefined) return problems.notFound;
      const filters = readFilters(request, view, (name) => request.query.get(name) ?? '');
      return showRows(request, view, { ...filters, page });
    },
  });

const findPath = <Row>(view: ListView<Row>): string => `${view.path}/find`;

/**
 * Answers a search. By POST, because a phone number in an address would appear in logs and histories of browsers.
 * Whatever has none, and is readable, gets the address of its result.
 */
const findPages = <Row>(view: ListView<Row>) =>
  portal.shown({
    path: findPath(view),
    needs: 'read',
    kind: view.kind,
    back: () => redirect(PORTAL_PATH + view.path),
    handle(request) {
      const filters = readFilters(request, view, request.form.text);
      return filters.query && filters.sought?.numberHash === undefined
        ? redirect(listAddress(PORTAL_PATH + view.path, filters.values))
        : showRows(request, view, { ...filters, page: 1 });
    },
  });

type ReadPage = ReadFilters & { readonly page: number };

async function showRows<Row>(
  request: AccountRequest,
  view: ListView<Row>,
  filters: ReadPage,
): Promise<PageAnswer> {
  const { list, path, title, intro } = view;
  const { query, page } = filters;
  const found = query && (await readRows(request, view, { ...query, page }));
  if (query && !found) return problems.busy;
  if (found?.items.length === 0 && page > 1) return problems.notFound;
  const all = PORTAL_PATH + path;
  return {
    kind: 'page',
    title,
    status: found ? undefined : 422,
    content: html`<h1>${phrase(title)}</h1>
${intro}
<section class="card">
${filterForm({
  ...(list.finds
    ? { action: PORTAL_PATH + findPath(view), all, formToken: request.formToken }
    : { action: all }),
  fields: fieldsOf(view),
  ...filters,
})}
${found && rows(view, found, { ...filters, mayExport: mayUse(request.session.role, 'export') })}
</section>`,
  };
}

const readRows = <Row>(request: AccountRequest, view: ListView<Row>, query: ListQuery) =>
  request.services.lists.readPage(view.list, request.session.company, {
    ...query,
    isCountBounded: true,
  });

function rows<Row>(
  view: ListView<Row>,
  { items, totalItems, isAtLeast }: ListPage<Row>,
  { values, sought, page, mayExport }: ReadPage & { readonly mayExport: boolean },
): Html {
  const path = PORTAL_PATH + view.path;
  if (items.length === 0)
    return Object.keys(values).length === 0
      ? emptyState('None yet', view.nothingYet)
      : emptyState('No matches', 'No entry matches the filters. Change the form above.');
  const shown = table(
    view.title,
    items,
    view.fields.flatMap(({ value, ...field }) =>
      value === undefined
        ? []
        : { ...field, value: (row: Row) => fieldValue<Row, HtmlValue | Date>(row, value) },
    ),
  );
  // No link has a phone number.
  if (sought?.numberHash !== undefined)
    return html`${shown}
${
  totalItems > items.length &&
  html`<p class="quiet">Only the newest ${ROWS} are shown. Choose days to see others.</p>`
}`;
  return html`${shown}
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
      const { query } = readFilters(request, view, (name) => request.query.get(name) ?? '');
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
