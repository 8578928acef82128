import { partnerBalances } from '../../../db/ledger/ledger.ts';
import { BULK_ORDER_KIND } from '../../../db/vouchers/bulk-orders.ts';
import { formatMoney, type Money, parseMoney, sumOf } from '../../../domain/money.ts';
import { maskMsisdn } from '../../../domain/phone.ts';
import { BULK_LINES } from '../../../domain/vouchers/voucher.ts';
import { newLines, orderVouchersOnce } from '../../../operations/bulk.ts';
import { hasBegun } from '../../../operations/run-once.ts';
import { csv } from '../../../rendering/csv.ts';
import { type Html, html, phrase } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { countText, sentence } from '../../language/language.ts';
import {
  amountColumn,
  fileForm,
  message,
  money,
  numberColumn,
  onceField,
  onceKey,
  table,
  textColumn,
} from '../../layout/parts.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal, redirect } from '../../page.ts';
import { callerOf, recordOperation, refusedPage, SENT_AGAIN } from '../operate.ts';
import { type LineProblem, type ReadLine, readBulkFile } from './bulk-file.ts';

export const BULK_PATH = `${PORTAL_PATH}/bulk-orders`;
const UPLOAD_PATH = `${PORTAL_PATH}/order-in-bulk`;

/** Problems that a page shows at most. */
const SHOWN_PROBLEMS = 100;
const SHOWN_LINES = 10;

/**
 * Asks for the lines of an order, as a file or as pasted rows; checks them, and shows what they cost. Nothing is
 * ordered yet.
 */
export const orderInBulkPages = portal.asked({
  path: '/order-in-bulk',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  form: 'with-list',
  ask: (request) => uploadPage(request),
  async handle(request) {
    const { form } = request;
    const text = form.text(form.text('file').trim() === '' ? 'rows' : 'file');
    const file = await readBulkFile(request, text);
    if (!file.ok) return uploadPage(request, file.problems);
    return previewPage(request, text, file.lines);
  },
});

/** The page of the upload, with the problems of what was sent. */
const uploadPage = (request: AccountRequest, wrong?: readonly LineProblem[]): PageAnswer => ({
  kind: 'page',
  title: 'Order vouchers in bulk',
  status: wrong && 422,
  content: html`<p><a href="${BULK_PATH}">All bulk orders</a></p>
<h1>Order vouchers in bulk</h1>
${wrong && problemList(wrong)}
<section class="card"><p>Up to ${countText(BULK_LINES)} vouchers from a CSV file or from rows of a
spreadsheet. The next page shows what they cost; nothing is ordered before you confirm it.</p>
${fileForm(
  request,
  UPLOAD_PATH,
  html`<div class="field"><label for="file">CSV file</label>
<input id="file" name="file" type="file" accept=".csv,.txt,text/csv,text/plain"></div>
<div class="field"><label for="rows">Or pasted rows</label>
<textarea id="rows" name="rows" rows="8" spellcheck="false">${request.form.text('rows')}</textarea></div>
<p class="actions"><button>Check the lines</button>
<a href="${UPLOAD_PATH}/example">Download an example</a></p>`,
)}</section>
<section class="card"><h2>The columns</h2>
${table('Columns of the file', columns, [
  textColumn('Column', ({ name }) => html`<code>${name}</code>`, 'head'),
  textColumn('Meaning', 'meaning', 'plain'),
])}</section>`,
});

const columns: readonly { readonly name: string; readonly meaning: Html }[] = [
  {
    name: 'reference',
    meaning: html`Your own name of this voucher, without spaces. A reference that generated a voucher never
generates another.`,
  },
  { name: 'amount', meaning: html`Value of the voucher in ETB: one of your denominations.` },
  {
    name: 'merchant',
    meaning: html`Identifier of the merchant, such as MER-0001; or <code>merchantId</code>.`,
  },
  { name: 'phone', meaning: html`Mobile number of the owner. Empty: an anonymous voucher.` },
  {
    name: 'restricted',
    meaning: html`<code>yes</code>: only this merchant redeems it; <code>no</code>: every merchant. Empty:
<code>yes</code>.`,
  },
];

const problemList = (problems: readonly LineProblem[]): Html =>
  html`${message(
    'danger',
    html`<p><strong>Nothing was ordered: ${
      problems.length === 1 ? phrase('one problem') : html`${countText(problems.length)} problems`
    }.</strong> Correct the lines and check them again.</p>
<ul>${problems
      .slice(0, SHOWN_PROBLEMS)
      .map(({ line, text }) => html`<li>${line > 0 && html`Line ${line}: `}${text}</li>`)}</ul>${
      problems.length > SHOWN_PROBLEMS &&
      html`<p>And ${countText(problems.length - SHOWN_PROBLEMS)} more.</p>`
    }`,
  )}`;

/** The lines that cost something: a reference that has a voucher already only gets it again. */
const paidOf = ({ services, session }: AccountRequest, lines: readonly ReadLine[]) =>
  newLines(services, session.company, lines);

const totalOf = (paid: readonly ReadLine[]): Money => sumOf(paid.map(({ amount }) => amount));

const nothingNew = (): Html =>
  html`Every reference has a voucher already. The order costs nothing, and only repeats their result.`;

/** What the lines cost, and the form that orders them. */
async function previewPage(
  request: AccountRequest,
  text: string,
  lines: readonly ReadLine[],
): Promise<PageAnswer> {
  const { services, session, formToken } = request;
  const paid = await paidOf(request, lines);
  const { gift } = await partnerBalances(services.database, session.company.id);
  const rest = parseMoney(gift) - totalOf(paid);
  return {
    kind: 'page',
    title: 'Confirm a bulk order',
    content: html`<h1>${questionOf(paid)}</h1>
${warnings(lines, paid, gift, rest)}
<section class="card"><h2>What it costs</h2>
${paid.length === 0 ? html`<p>${nothingNew()}</p>` : costs(paid, gift, rest)}
${fileForm(
  { formToken },
  BULK_PATH,
  html`${onceField()}<input type="hidden" name="rows" value="${text}">
<p class="actions"><button>Order the vouchers</button><a href="${UPLOAD_PATH}">Back</a></p>`,
)}</section>
<section class="card"><h2>The first lines</h2>
${table('The first lines of the order', lines.slice(0, SHOWN_LINES), [
  textColumn('Reference', ({ ordered }) => html`<code>${ordered.reference}</code>`, 'head'),
  textColumn('Merchant', ({ merchant }) => merchant.name, 'plain'),
  textColumn('Owner', ({ ordered }) => ownerOf(ordered.owner_msisdn), 'plain'),
  amountColumn(({ amount }) => amount),
])}</section>`,
  };
}

function questionOf(paid: readonly ReadLine[]): Html | string {
  if (paid.length === 0) return phrase('Repeat the order?');
  const total = money(formatMoney(totalOf(paid)));
  return paid.length === 1
    ? html`Order one voucher for ${total}?`
    : html`Order ${countText(paid.length)} vouchers for ${total}?`;
}

const costs = (paid: readonly ReadLine[], gift: string, rest: Money): Html =>
  html`${table('Vouchers by amount', byAmount(paid), [
    textColumn('Voucher', (group) => money(group.amount), 'head'),
    numberColumn('Count', 'count'),
    amountColumn(({ sum }) => sum),
  ])}
<p>Gift wallet: ${money(gift)} now, ${money(formatMoney(rest < 0n ? 0n : rest))} after the order.</p>`;

/** What a person should know before the order of some lines. */
function warnings(
  lines: readonly ReadLine[],
  paid: readonly ReadLine[],
  gift: string,
  rest: Money,
): Html {
  const used = lines.length - paid.length;
  const unpriced = paid.filter(({ hasPrice }) => !hasPrice).length;
  return html`${
    used > 0 &&
    message(
      'warning',
      html`<strong>${
        used === 1
          ? phrase('One reference has a voucher already')
          : html`${countText(used)} references have vouchers already`
      }.</strong> Their lines cost nothing. The result has the same voucher again, or refuses a line with other content.`,
    )
  }
${
  rest < 0n &&
  message(
    'warning',
    html`<strong>The gift wallet is too small.</strong> It has ${money(gift)}. Lines are generated in their
order until it is spent, and the rest is refused.`,
  )
}
${
  unpriced > 0 &&
  message(
    'warning',
    html`<strong>${
      unpriced === 1
        ? phrase('One line has no selling price')
        : html`${countText(unpriced)} lines have no selling price`
    }</strong> and would be refused. <a href="${PORTAL_PATH}/prices">Set your prices</a> first.`,
  )
}`;
}

const ownerOf = (msisdn: string | null): Html | string =>
  msisdn === null ? phrase('Anonymous') : maskMsisdn(msisdn);

function byAmount(lines: readonly ReadLine[]) {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line.amount, (counts.get(line.amount) ?? 0) + 1);
  return [...counts].map(([each, count]) => ({
    amount: each,
    count,
    sum: formatMoney(parseMoney(each) * BigInt(count)),
  }));
}

/** The lines of the form that orders them and its key, or the answer where they cannot be ordered. */
async function readOrder(
  request: AccountRequest,
): Promise<{ readonly lines: readonly ReadLine[]; readonly key: string } | PageAnswer> {
  const [key, text] = [onceKey(request), request.form.text('rows')];
  if (key === undefined) return problems.invalid;
  const file = await readBulkFile(request, text);
  if (file.ok) return { key, lines: file.lines };
  // A merchant or a denomination may have ended since the form was sent first.
  const order = { company: callerOf(request), key, kind: BULK_ORDER_KIND } as const;
  return (await hasBegun(request.services, order))
    ? redirect(BULK_PATH, SENT_AGAIN)
    : uploadPage(request, file.problems);
}

/** Orders the lines that the person has confirmed: once, however often the form is sent. */
export const orderBulkForm = portal.form({
  path: '/bulk-orders',
  needs: 'operate',
  async confirmation(request) {
    const order = await readOrder(request);
    if ('kind' in order) return order;
    const paid = await paidOf(request, order.lines);
    if (paid.length === 0) return nothingNew();
    const count = paid.length;
    const total = money(formatMoney(totalOf(paid)));
    return count === 1
      ? html`You are about to order one voucher for ${total}.`
      : html`You are about to order ${countText(count)} vouchers for ${total}.`;
  },
  kind: 'partner',
  form: 'with-list',
  async handle(request) {
    const order = await readOrder(request);
    if ('kind' in order) return order;
    const { key } = order;
    const lines = order.lines.map(({ ordered }) => ordered);
    await recordOperation(request, 'order vouchers', { lines: lines.length });
    const company = callerOf(request);
    const { result } = await orderVouchersOnce(request.services, { company, key, lines });
    if ('ok' in result)
      return refusedPage({ title: 'Nothing was ordered', refusal: result, back: BULK_PATH });
    return redirect(
      `${BULK_PATH}/${result.id}`,
      sentence('The order of {1} vouchers was accepted.', countText(result.lines)),
    );
  },
});

/** A file to begin with. */
export const downloadBulkExample = portal.page({
  path: '/order-in-bulk/example',
  needs: 'operate',
  kind: 'partner',
  handle: () => ({
    kind: 'file',
    name: 'bulk-order-example.csv',
    type: 'text/csv',
    content: csv([
      ['reference', 'amount', 'merchant', 'phone', 'restricted'],
      ['order-417/1', '500', 'MER-0001', '0911234567', 'yes'],
      ['order-417/2', '100', 'MER-0001', '', 'no'],
    ]),
  }),
});
