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
import type { List, RowOf } from '../../db/lists/list.ts';
import { type Condition, type ListQuery, readListPage } from '../../db/lists/list-page.ts';
import { allTopups } from '../../db/lists/topups.ts';
import { allVouchers } from '../../db/lists/vouchers.ts';
import { maskStored } from '../../domain/phone.ts';
import { type DeskKind, deskKinds } from '../../domain/staff.ts';
import { topupStatuses } from '../../domain/topup.ts';
import { voucherStatuses } from '../../domain/vouchers/voucher.ts';
import { listQuery } from '../../http/lists/list-query.ts';
import { type AdminCommand, type AdminContext, lookCommand } from '../command.ts';
import {
  AdminError,
  byConversion,
  type Field,
  id,
  msisdn,
  oneOf,
  optional,
  rowLimit,
  text,
  wholeNumber,
  withDefault,
} from '../fields.ts';
import { numberBoxOf } from '../keys.ts';
import { requireSubject } from '../record-names.ts';
import { amounts, type Column, column, numbers, textTable } from '../tables.ts';

/** Operators' lists show the rows of all companies. */
const NO_COMPANY = 0;
const MAXIMUM_ROWS = 10_000;

/** An option that stands for one condition. */
interface Filter {
  readonly field: Field<unknown>;
  readonly column: string;
}

/** How the command line shows a list. */
interface ListView<Row> extends Pick<AdminCommand, 'examples'> {
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Rows of a page, unless the command names another number. */
  readonly defaultLimit?: number;
  readonly columns: readonly Column<Row>[];
  /** A row of the document: by the names of the command line, with masked numbers. */
  readonly present: (row: Row) => unknown;
}

type Input = Readonly<Record<string, unknown>>;

/** The command of a list: filters, order and pages are those of its declaration, as the API reads them. */
function listCommand<Row>(list: List<Row>, view: ListView<Row>): AdminCommand {
  const { filters = {}, defaultLimit = MAXIMUM_ROWS, columns, present, ...definition } = view;
  return lookCommand({
    ...definition,
    details: `Columns of --where and --sort: ${Object.keys(list.columns).join(', ')}.`,
    fields: {
      ...Object.fromEntries(Object.entries(filters).map(([option, { field }]) => [option, field])),
      where: optional(
        text,
        'Conditions with the operators of the API: column=value,column=$gte:value',
      ),
      sort: optional(sortOf(list), 'The order, such as id:DESC'),
      page: withDefault(wholeNumber(1, 1_000_000), 'Number of the page', 1),
      limit: rowLimit(defaultLimit, MAXIMUM_ROWS),
    },
    async look(database, input: Input, context) {
      const query = await readQuery(list, view, input, { database, ...context });
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
      return { json: items.map(present), text: textTable(items, columns) + more };
    },
  });
}

/** The order: a column of the list, up or down. */
const sortOf = ({ columns }: List<unknown>) =>
  byConversion('column:DESC', 'must be a column of the list with :ASC or :DESC', (given) => {
    const [name = '', direction = ''] = given.split(':');
    const isColumn = Object.hasOwn(columns, name) && columns[name]?.kind !== 'look-up';
    return isColumn && /^(asc|desc)$/i.test(direction) ? given : undefined;
  });

/** @throws {AdminError} for a condition that is none of the list, and for a partner that does not exist */
async function readQuery<Row>(
  list: List<Row>,
  { filters = {} }: ListView<Row>,
  { where, sort, page, limit, ...given }: Input,
  { database, settings }: Pick<AdminContext, 'database' | 'settings'>,
): Promise<ListQuery> {
  if (typeof given.partner === 'number') await requireSubject(database, 'partner', given.partner);
  const conditions = Object.entries(filters).flatMap(([option, { column: name }]) => {
    const value = given[option];
    if (value === undefined) return [];
    // The database knows numbers by their hashes only.
    return [equal(name, option === 'msisdn' ? numberBoxOf(settings).hashOf(String(value)) : value)];
  });
  const sent = { q: where, sortBy: sort, page: String(page) };
  const { success, data, error } = listQuery({ list, defaultLimit: Number(limit) }).safeParse(sent);
  if (!success) throw new AdminError(`--where ${error.issues[0]?.message}.`);
  return {
    ...data,
    conditions: [...conditions, ...data.conditions],
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

const plain = (decimal: string): string => String(Number(decimal));

const ofPartner: Filter = {
  field: optional(id, 'Only those of one partner'),
  column: 'partnerId',
};

const NEWEST = 50;

const productColumns: readonly Column<RowOf<typeof allProducts>>[] = [
  numbers('id'),
  column('name', 'productName'),
  column('kind'),
  column('category', 'categoryName'),
  column('operator'),
  amounts('price', 'amount'),
  numbers('provider id', 'providerProductId'),
  column('status'),
];

/** A product by the names of the command line. */
export const presentProduct = ({
  productName: name,
  categoryName: category,
  amount: price,
  ...product
}: RowOf<typeof allProducts>) => ({ ...product, name, category, price });

/** Products as a table. */
export const productTable = (products: readonly RowOf<typeof allProducts>[]): string =>
  textTable(products, productColumns);

/** A merchant by the names of the command line. */
export const presentMerchant = ({
  merchantName: name,
  merchantType: type,
  merchantLogo: logo,
  ...merchant
}: RowOf<typeof allMerchants>) => ({ ...merchant, name, type, logo });

/** A voucher by the names of the command line. */
export const voucherRow = <Voucher extends RowOf<typeof allVouchers>>({
  merchantName: merchant,
  ownerMsisdn,
  ...voucher
}: Voucher) => ({
  ...voucher,
  merchant,
  ownerMsisdn: ownerMsisdn && maskStored(ownerMsisdn),
});

/** What a top-up sends. */
const whatOf = (topup: { readonly kind: string; readonly productName: string | null }) =>
  topup.kind === 'PACKAGE' ? topup.productName : 'airtime';

export const commands = {
  'partner list': listCommand(allPartners, {
    columns: [
      numbers('id'),
      column('name'),
      column('status'),
      amounts('gift'),
      amounts('airtime'),
      amounts('reserved'),
      column('low', (row) => row.low.join(', ') || null),
    ],
    present: (partner) => partner,
    examples: ['', '--json'],
  }),
  'merchant list': listCommand(allMerchants, {
    columns: [
      numbers('id'),
      column('name', 'merchantName'),
      column('identifier'),
      column('category'),
      column('status'),
      numbers('fee %', (row) => row.serviceFeePercent && plain(row.serviceFeePercent)),
      column('paid to', 'payoutKey'),
    ],
    present: presentMerchant,
    examples: ['', '--where status=DEACTIVATED'],
  }),
  'merchant category list': listCommand(allMerchantCategories, {
    columns: [
      numbers('id'),
      column('name', 'categoryName'),
      column('status', (row) => (row.isActive ? 'ACTIVE' : 'INACTIVE')),
    ],
    present: ({ categoryName: name, ...category }) => ({ ...category, name }),
  }),
  'product category list': listCommand(allProductCategories, {
    columns: [
      numbers('id'),
      column('name', 'categoryName'),
      column('status'),
      column('description', 'categoryDescription'),
    ],
    present: ({ categoryName: name, categoryDescription: description, ...category }) => ({
      ...category,
      name,
      description,
    }),
  }),
  'product list': listCommand(allProducts, {
    filters: {
      partner: {
        field: optional(id, 'The id of a partner: only the products that it may sell'),
        column: 'partnerId',
      },
    },
    columns: productColumns,
    present: presentProduct,
    examples: ['', '--partner 1'],
  }),
  'product denomination list': listCommand(allDenominations, {
    columns: [
      numbers('id'),
      amounts('amount', 'amountEtb'),
      column('status'),
      column('product', (row) => `${row.product} (${row.productId})`),
    ],
    present: ({ amountEtb: amount, ...denomination }) => ({ ...denomination, amount }),
  }),
  'product promo list': listCommand(allPromos, {
    columns: [
      numbers('id'),
      column('name', 'promoName'),
      column('category'),
      column('from', 'promoStartDate'),
      column('to', 'promoEndDate'),
      numbers('discount %', (row) => plain(row.discountPercentage)),
      numbers('bonus %', (row) => plain(row.bonusPercentage)),
      numbers('constraint', (row) => plain(row.constraint)),
      column('image', 'promoImage'),
      column('status'),
    ],
    present: ({
      promoName,
      promoDescription,
      promoImage,
      promoStartDate,
      promoEndDate,
      discountPercentage,
      bonusPercentage,
      ...promo
    }) => ({
      ...promo,
      name: promoName,
      description: promoDescription,
      image: promoImage,
      start: promoStartDate,
      end: promoEndDate,
      discount: discountPercentage,
      bonus: bonusPercentage,
    }),
  }),
  'voucher list': listCommand(allVouchers, {
    filters: {
      partner: ofPartner,
      status: {
        field: optional(oneOf(...voucherStatuses), 'Only those in one status'),
        column: 'status',
      },
      msisdn: { field: optional(msisdn, 'Only those of one owner'), column: 'owner' },
    },
    defaultLimit: NEWEST,
    columns: [
      numbers('id'),
      column('serial number', 'serialNumber'),
      column('status'),
      amounts('amount'),
      amounts('remaining'),
      numbers('partner', 'partnerId'),
      column('merchant', 'merchantName'),
      column('owner', (row) => row.ownerMsisdn && maskStored(row.ownerMsisdn)),
      column('generated', 'createdAt'),
    ],
    present: voucherRow,
    examples: ['--partner 1 --status ACTIVE', '--msisdn 0911234567'],
  }),
  'top-up list': listCommand(allTopups, {
    filters: {
      partner: ofPartner,
      status: {
        field: optional(oneOf(...topupStatuses), 'Only those in one status'),
        column: 'status',
      },
      msisdn: {
        field: optional(msisdn, 'Only those with an attempt to this number'),
        column: 'number',
      },
    },
    defaultLimit: NEWEST,
    columns: [
      numbers('id'),
      column('accepted', 'createdAt'),
      column('status'),
      numbers('partner', 'partnerId'),
      column('what', whatOf),
      amounts('etb', 'amount'),
      column('number', (row) => maskStored(row.msisdn)),
      numbers('attempt'),
      column('provider reference', 'providerReference'),
    ],
    present: ({ productName: product, msisdn, ...topup }) => ({
      ...topup,
      product,
      msisdn: maskStored(msisdn),
    }),
    examples: ['--partner 1 --status UNKNOWN', '--msisdn 0911234567'],
  }),
  'desk list': listCommand(deskList, {
    filters: {
      partner: ofPartner,
      kind: {
        field: optional(oneOf(...(Object.keys(deskKinds) as DeskKind[])), 'Only those of one kind'),
        column: 'kind',
      },
    },
    defaultLimit: NEWEST,
    columns: [
      column('kind'),
      column('subject'),
      column('since'),
      amounts('etb', 'amount'),
      column('partner'),
      column('merchant'),
      column('provider'),
      column('detail'),
      column('assigned to', 'assignee'),
    ],
    present: (item) => item,
    examples: ['', '--kind unknown --partner 1'],
  }),
};
