import type { Database } from '../../db/connection.ts';
import {
  allDenominations,
  allMerchantCategories,
  allMerchants,
  allPartners,
  allProductCategories,
  allProducts,
  allPromos,
} from '../../db/lists/catalogue.ts';
import { deskList } from '../../db/lists/desk.ts';
import type { List } from '../../db/lists/list.ts';
import { type Condition, type ListQuery, readListPage } from '../../db/lists/list-page.ts';
import { allTopups } from '../../db/lists/topups.ts';
import { allVouchers } from '../../db/lists/vouchers.ts';
import { listQuery } from '../../http/lists/list-query.ts';
import { type AdminCommand, type AdminContext, lookCommand } from '../command.ts';
import {
  AdminError,
  msisdn,
  optional,
  rowLimit,
  text,
  wholeNumber,
  withDefault,
} from '../fields.ts';
import { numberBoxOf } from '../keys.ts';
import { amounts, column, textTable } from '../tables.ts';

/** Operators' lists show the rows of all companies. */
const NO_COMPANY = 0;
const MAXIMUM_ROWS = 10_000;

/** A list with the kinds of its fields. */
export type ShownList<Row> = List<Row> & {
  readonly fields: Readonly<Record<string, { readonly column?: { readonly kind: string } }>>;
};

/** How the command line shows a list. Its document has all fields. */
interface ListView<Name> extends Pick<AdminCommand, 'examples'> {
  /** The fields of the table. */
  readonly columns: readonly Name[];
  /** The column that knows phone numbers by their hashes. */
  readonly numbers?: string;
  /** Rows of a page, unless the command names another number. */
  readonly defaultLimit?: number;
}

/** Fields of a list as columns, each under its own name and written as its kind is. */
export const fieldColumns = <Row>(
  { fields }: ShownList<Row>,
  names: readonly (keyof Row & string)[],
) =>
  names.map((name) =>
    fields[name]?.column?.kind === 'decimal'
      ? amounts<Row>(name as never)
      : column<Row>(name as never),
  );

type Input = Readonly<Record<string, unknown>>;

/** The command of a list: fields, filters, order and pages are those of its declaration, as the API reads them. */
function listCommand<Row extends object>(
  list: ShownList<Row>,
  view: ListView<keyof Row & string>,
): AdminCommand {
  const { columns, numbers, defaultLimit = MAXIMUM_ROWS, ...definition } = view;
  return lookCommand({
    ...definition,
    details: `Columns of --where and --sort: ${Object.keys(list.columns).join(', ')}.`,
    fields: {
      ...(numbers !== undefined && { msisdn: optional(msisdn, 'Only those of one phone number') }),
      where: optional(
        text,
        'Conditions with the operators of the API: column=value,column=$gte:value',
      ),
      sort: optional(text, 'The order, such as id:DESC'),
      page: withDefault(wholeNumber(1, 1_000_000), 'Number of the page', 1),
      limit: rowLimit(defaultLimit, MAXIMUM_ROWS),
    },
    async look(database, input: Input, { settings }) {
      const query = readQuery(list, numbers, input, settings);
      const { items, totalItems, isAtLeast } = await readListPage(
        database,
        list,
        NO_COMPANY,
        query,
      );
      const shown = (query.page - 1) * query.limit + items.length;
      const more =
        items.length > 0 && shown < totalItems
          ? `\n${shown} of ${totalItems}${isAtLeast ? ' or more' : ''}: --page ${query.page + 1} goes on.`
          : '';
      return { json: items, text: textTable(items, fieldColumns(list, columns)) + more };
    },
  });
}

/** @throws {AdminError} for a condition or an order that is none of the list */
function readQuery<Row>(
  list: List<Row>,
  numbers: string | undefined,
  { where, sort, page, limit, msisdn: number }: Input,
  settings: AdminContext['settings'],
): ListQuery {
  const sent = { q: where, sortBy: sort, page: String(page) };
  const { success, data, error } = listQuery({ list, defaultLimit: Number(limit) }).safeParse(sent);
  if (!success) {
    const [issue] = error.issues;
    throw new AdminError(`--${issue?.path[0] === 'sortBy' ? 'sort' : 'where'} ${issue?.message}.`);
  }
  const ofNumber =
    numbers === undefined || number === undefined
      ? []
      : [equal(numbers, numberBoxOf(settings).hashOf(String(number)))];
  return {
    ...data,
    conditions: [...ofNumber, ...data.conditions],
    isCountBounded: true,
  };
}

const equal = (name: string, value: unknown): Condition => ({
  column: name,
  operator: 'eq',
  isNegated: false,
  values: [String(value)],
});

/** All rows of a list with a value. */
export const rowsWith = async <Row>(
  database: Database,
  list: List<Row>,
  name: string,
  value: number,
): Promise<Row[]> => {
  const { items } = await readListPage(database, list, NO_COMPANY, {
    page: 1,
    limit: MAXIMUM_ROWS,
    sortBy: list.sortBy,
    conditions: [equal(name, value)],
    isUsual: true,
  });
  return items;
};

const NEWEST = 50;

/** What tables show of products. */
export const productColumns = [
  'id',
  'productName',
  'kind',
  'categoryName',
  'operator',
  'amount',
  'providerProductId',
  'status',
] as const;

export const commands = {
  'partner list': listCommand(allPartners, {
    columns: ['id', 'name', 'status', 'gift', 'airtime', 'reserved', 'low'],
    examples: ['', '--json'],
  }),
  'merchant list': listCommand(allMerchants, {
    columns: [
      'id',
      'merchantName',
      'identifier',
      'category',
      'status',
      'serviceFeePercent',
      'payoutKey',
    ],
    examples: ['', '--where status=DEACTIVATED'],
  }),
  'merchant category list': listCommand(allMerchantCategories, {
    columns: ['id', 'categoryName', 'isActive'],
  }),
  'product category list': listCommand(allProductCategories, {
    columns: ['id', 'categoryName', 'status', 'categoryDescription'],
  }),
  'product list': listCommand(allProducts, {
    columns: productColumns,
    examples: ['', '--where partnerId=1'],
  }),
  'product denomination list': listCommand(allDenominations, {
    columns: ['id', 'amountEtb', 'status', 'product', 'productId'],
  }),
  'product promo list': listCommand(allPromos, {
    columns: [
      'id',
      'promoName',
      'category',
      'promoStartDate',
      'promoEndDate',
      'discountPercentage',
      'bonusPercentage',
      'constraint',
      'promoImage',
      'status',
    ],
  }),
  'voucher list': listCommand(allVouchers, {
    columns: [
      'id',
      'serialNumber',
      'status',
      'amount',
      'remaining',
      'partnerId',
      'merchantName',
      'ownerMsisdn',
      'createdAt',
    ],
    numbers: 'owner',
    defaultLimit: NEWEST,
    examples: ['--where partnerId=1,status=ACTIVE', '--msisdn 0911234567'],
  }),
  'top-up list': listCommand(allTopups, {
    columns: [
      'id',
      'createdAt',
      'status',
      'partnerId',
      'kind',
      'productName',
      'amount',
      'msisdn',
      'attempt',
      'providerReference',
    ],
    numbers: 'number',
    defaultLimit: NEWEST,
    examples: ['--where partnerId=1,status=UNKNOWN', '--msisdn 0911234567'],
  }),
  'desk list': listCommand(deskList, {
    columns: [
      'kind',
      'subject',
      'since',
      'amount',
      'partner',
      'merchant',
      'provider',
      'detail',
      'assignee',
    ],
    defaultLimit: NEWEST,
    examples: ['', '--where kind=unknown,partnerId=1'],
  }),
};
