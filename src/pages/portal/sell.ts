import { listPartnerPrices } from '../../db/catalogue/prices.ts';
import { productList } from '../../db/lists/catalogue.ts';
import { readListPage } from '../../db/lists/list-page.ts';
import { findNamedMerchants } from '../../db/vouchers/bulk-orders.ts';
import { amountText, formatMoney, parseMoney, withoutGroups } from '../../domain/money.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { formatVoucherCode } from '../../domain/vouchers/voucher.ts';
import type { Quote } from '../../operations/quotes.ts';
import { hasBegun } from '../../operations/run-once.ts';
import { topupOnce } from '../../operations/topups.ts';
import { generateVoucherOnce } from '../../operations/vouchers.ts';
import { type QuotedCall, quotedCall, quoteOf } from '../../partner/quote.ts';
import { airtimeOf, packageOf } from '../../partner/topups.ts';
import { voucherOf } from '../../partner/voucher-view.ts';
import { type Html, html, phrase } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { usd } from '../layout/company-parts.ts';
import {
  asSent,
  emptyState,
  facts,
  field,
  message,
  money,
  onceField,
  onceKey,
  postForm,
  secretPage,
  selectField,
  type WrongFields,
} from '../layout/parts.ts';
import { type AccountRequest, type PageAnswer, PORTAL_PATH, portal, redirect } from '../page.ts';
import { operatorNames } from './catalogue.ts';
import {
  callerOf,
  failureNotice,
  recordOperation,
  refusalSentence,
  refusedPage,
  SENT_AGAIN,
} from './operate.ts';

const SELL_PATH = `${PORTAL_PATH}/sell`;
const NOTHING_SOLD = 'Nothing was sold';

/** The way in which a kind is sold: its pages, and the call of the API that it is. */
interface Sold {
  readonly kind: QuotedCall['kind'];
  readonly path: string;
  readonly title: string;
  readonly intro: Html;
  readonly operation: 'generate-voucher' | 'airtime-topup' | 'airtime-package-topup';
  /** The fields of the call, by their names in the API. */
  readonly names: readonly string[];
}

const saleNames = ['exchangeRate', 'currency', 'originatingCountry', 'foreignCurrencyAmount'];

const soldKinds: readonly Sold[] = [
  {
    kind: 'GIFT',
    path: '/sell/voucher',
    title: 'Sell a voucher',
    intro: html`<p>One gift voucher, whose value comes from your gift wallet. The next page shows what it costs; nothing
is sold before you confirm it.</p>`,
    operation: 'generate-voucher',
    names: ['denominationId', 'merchantIdentifier', 'isRestricted', 'msisdn', ...saleNames],
  },
  {
    kind: 'AIRTIME',
    path: '/sell/airtime',
    title: 'Send airtime',
    intro: html`<p>Airtime for one phone number, from your airtime wallet. The next page shows what it costs; nothing
is sent before you confirm it.</p>`,
    operation: 'airtime-topup',
    names: ['amount', 'msisdn', ...saleNames],
  },
  {
    kind: 'PACKAGE',
    path: '/sell/package',
    title: 'Send a package',
    intro: html`<p>A package for one phone number of its operator, from your airtime wallet. The next page shows what it
costs; nothing is sent before you confirm it.</p>`,
    operation: 'airtime-package-topup',
    names: ['productId', 'msisdn', ...saleNames],
  },
];

/** Leads to the form of each kind. */
const showSell = portal.page({
  path: '/sell',
  title: 'Sell',
  needs: 'operate',
  kind: 'partner',
  handle: () => html`<h1>Sell</h1>
${soldKinds.map(
  ({ path, title, intro }) => html`<section class="card"><h2>${phrase(title)}</h2>
${intro}
<p class="actions"><a class="button secondary" href="${PORTAL_PATH + path}">${phrase(title)}</a></p></section>`,
)}`,
});

/** The problem that people read under a field, by the name of the field. */
const mistakes: WrongFields = {
  denominationId: 'Choose a voucher.',
  productId: 'Choose a package.',
  merchantIdentifier: 'Enter the identifier of a merchant, such as MER-0001.',
  amount: 'Enter an amount in ETB above 0 with at most 2 decimals, such as 99.50.',
  msisdn: 'Enter a mobile number, such as 0911234567 or +251911234567.',
  exchangeRate: 'Enter a number above 0, such as 57.25.',
  currency: 'Enter a currency code of ISO 4217, such as USD.',
  originatingCountry: 'Enter a country by its code or English name, such as US or Ethiopia.',
  foreignCurrencyAmount: 'Enter a number above 0, such as 57.25.',
};

/** The call of a sent form, by the schema of the API, or its problems by field. */
function readCall(
  { kind, names }: Sold,
  { form }: AccountRequest,
): { readonly call?: QuotedCall; readonly wrong?: WrongFields } {
  const sent = Object.fromEntries(
    names.map((name) => [name, form.text(name).trim()]).filter(([, text]) => text !== ''),
  );
  const { amount = '', isRestricted } = sent;
  const read = quotedCall.safeParse({
    ...(kind === 'GIFT' && { msisdn: null, isRestricted: isRestricted !== 'no' }),
    ...(kind === 'AIRTIME' && { amount: withoutGroups(amount) }),
    ...Object.fromEntries(
      Object.entries(sent).filter(([name]) => name !== 'amount' && name !== 'isRestricted'),
    ),
    kind,
  });
  if (read.success) return { call: read.data };
  const wrong = read.error.issues.map(({ path: [name] }) =>
    // The form has no other name of a merchant.
    name === 'merchantId' ? 'merchantIdentifier' : String(name),
  );
  return { wrong: Object.fromEntries(wrong.map((name) => [name, mistakes[name] ?? ''])) };
}

/** The form with what was entered, and what is wrong with it. */
async function formPage(
  sold: Sold,
  request: AccountRequest,
  wrong: { readonly problems?: WrongFields; readonly refusal?: Refusal } = {},
): Promise<PageAnswer> {
  const { form } = request;
  const choices = await choicesOf(sold, request);
  return {
    kind: 'page',
    title: sold.title,
    status: wrong.problems ? 422 : wrong.refusal && 409,
    content: html`<p><a href="${SELL_PATH}">Sell something else</a></p>
<h1>${phrase(sold.title)}</h1>
${
  wrong.refusal &&
  message(
    'danger',
    html`<strong>It would be refused, so nothing was sold.</strong> ${refusalSentence(wrong.refusal)}`,
  )
}
<section class="card">${sold.intro}
${
  choices?.length === 0
    ? emptyState('None yet', 'Your contact at the service gives you access to it.')
    : postForm(
        request,
        PORTAL_PATH + sold.path,
        html`${onceField(form.text('once') || undefined)}
${fieldsOf(sold, asSent(request, wrong.problems ?? {}), choices ?? [])}
<p class="actions"><button>Show what it costs</button></p>`,
      )
}</section>`,
  };
}

type Choice = readonly [value: string, label: string];

/** The vouchers or packages that the company may sell; airtime has no choice. */
async function choicesOf(
  { kind }: Sold,
  { services, session }: AccountRequest,
): Promise<readonly Choice[] | undefined> {
  if (kind === 'AIRTIME') return undefined;
  if (kind === 'GIFT') {
    const prices = await listPartnerPrices(services.database, session.company.id);
    const sellable = prices.filter(({ status }) => status === 'ACTIVE');
    return [
      ...new Map(
        sellable.map(({ denominationId, amount }) => [denominationId, `ETB ${amountText(amount)}`]),
      ),
    ].map(([id, label]) => [String(id), label]);
  }
  const { items } = await readListPage(services.database, productList, session.company.id, {
    page: 1,
    limit: MOST_PACKAGES,
    sortBy: [['productName', 'ASC']],
    conditions: [{ column: 'status', operator: 'eq', isNegated: false, values: ['ACTIVE'] }],
    isUsual: false,
  });
  return items.map(({ id, productName, amount }) => [
    String(id),
    `${productName} · ETB ${amountText(amount)}`,
  ]);
}

/** Far more than partners have. */
const MOST_PACKAGES = 500;

function fieldsOf(
  { kind }: Sold,
  own: ReturnType<typeof asSent>,
  choices: readonly Choice[],
): Html {
  const isVoucher = kind === 'GIFT';
  const optional = isVoucher ? { isOptional: true as const } : {};
  const choice = (name: string, label: string) =>
    selectField({
      ...own(name),
      label,
      options: [['', 'Choose one'], ...choices],
      isRequired: true,
    });
  return html`${kind === 'PACKAGE' && choice('productId', 'Package')}
${kind === 'AIRTIME' && field({ ...own('amount'), label: 'Amount in ETB', maximumLength: 20 })}
${
  isVoucher &&
  html`${choice('denominationId', 'Voucher')}
${field({ ...own('merchantIdentifier'), label: 'Merchant', hint: 'Its identifier, such as MER-0001.' })}
${selectField({
  ...own('isRestricted'),
  label: 'Can be redeemed',
  options: [
    ['yes', 'At this merchant only'],
    ['no', 'At every merchant'],
  ],
})}`
}
${field({
  ...own('msisdn'),
  ...optional,
  label: isVoucher ? 'Phone number of the owner' : 'Phone number',
  ...(isVoucher && { hint: 'Empty: an anonymous voucher, redeemed without a code by SMS.' }),
  maximumLength: 32,
})}
<fieldset><legend>The sale, for your figures</legend>
${field({ ...own('exchangeRate'), ...optional, label: 'ETB for one USD', maximumLength: 40 })}
${field({ ...own('currency'), ...optional, label: 'Currency that the customer paid in', hint: 'Such as USD.', maximumLength: 3 })}
${field({ ...own('originatingCountry'), ...optional, label: 'Country that the customer buys from', hint: 'Such as US or Ethiopia.' })}
${field({ ...own('foreignCurrencyAmount'), isOptional: true, label: 'Price of the sale in USD', maximumLength: 40 })}
</fieldset>`;
}

/** What a call sells, for people. */
async function soldName(
  sold: Sold,
  request: AccountRequest,
  { call, quote }: { readonly call: QuotedCall; readonly quote: Quote },
): Promise<Html> {
  const amount = money(quote.amount ?? '0');
  if (call.kind === 'AIRTIME') return html`Airtime of ${amount}`;
  if (call.kind === 'GIFT') return html`Gift voucher of ${amount}`;
  const packages = (await choicesOf(sold, request)) ?? [];
  return html`${packages.find(([id]) => id === String(call.productId))?.[1]}`;
}

/**
 * What a sale costs now, and the form that confirms it. The form has the quoted amounts: a sale at
 * other amounts is shown again before it is made.
 */
async function quotePage(
  sold: Sold,
  request: AccountRequest,
  { call, quote, hasChanged }: { call: QuotedCall; quote: Quote; hasChanged?: true },
): Promise<PageAnswer> {
  const { form, services } = request;
  const rest = parseMoney(quote.balance) - parseMoney(quote.amount ?? '0');
  const [merchant] =
    call.kind === 'GIFT'
      ? await findNamedMerchants(services.database, {
          ids: [],
          identifiers: [call.merchantIdentifier ?? ''],
        })
      : [];
  const path = PORTAL_PATH + sold.path;
  return {
    kind: 'page',
    title: 'Confirm the sale',
    status: hasChanged && 409,
    content: html`<h1>Confirm the sale</h1>
${
  hasChanged &&
  message(
    'warning',
    html`<strong>The price has changed, so nothing was sold.</strong> This is what it costs now.`,
  )
}
<section class="card">
${facts({
  What: await soldName(sold, request, { call, quote }),
  ...(merchant && {
    Merchant: merchant.name,
    'Can be redeemed': phrase(
      call.kind === 'GIFT' && call.isRestricted ? 'At this merchant only' : 'At every merchant',
    ),
  }),
  'Phone number': call.msisdn ?? phrase('Anonymous'),
  ...(quote.operator && { Operator: phrase(operatorNames[quote.operator]) }),
  'It costs you': money(quote.amount ?? '0'),
  ...(quote.sellingPriceUsd !== null && { 'Your price': `USD ${usd(quote.sellingPriceUsd)}` }),
})}
<p>${
      quote.wallet === 'gift'
        ? html`Gift wallet: ${money(quote.balance)} now, ${money(formatMoney(rest))} after the sale.`
        : html`Airtime wallet: ${money(quote.balance)} now, ${money(formatMoney(rest))} after the sale.`
    }</p>
${postForm(
  request,
  `${path}/sale`,
  html`${onceField(form.text('once'))}${hidden(form, sold.names)}
<input type="hidden" name="quoted" value="${quote.amount}">
<input type="hidden" name="quotedPrice" value="${quote.sellingPriceUsd}">
<p class="actions"><button>Sell it</button>
<button class="secondary" name="change" value="yes" formaction="${path}">Change it</button></p>`,
)}</section>`,
  };
}

/** Fields of a sent form that the next one has, too. */
const hidden = (form: AccountRequest['form'], names: readonly string[]): Html =>
  html`${names.map((name) => html`<input type="hidden" name="${name}" value="${form.text(name)}">`)}`;

/** Whether the quote has the amounts that the person has confirmed. */
const isAsQuoted = ({ amount, sellingPriceUsd }: Quote, { form }: AccountRequest): boolean =>
  form.text('quoted') === (amount ?? '') && form.text('quotedPrice') === (sellingPriceUsd ?? '');

/** The sentence of the proof, from the form alone: the sale compares the amount with the present quote. */
function confirmedSale(sold: Sold, request: AccountRequest): Html | undefined {
  const { call } = readCall(sold, request);
  const quoted = request.form.text('quoted');
  if (!call || !/^\d{1,14}\.\d{6}$/.test(quoted)) return undefined;
  const amount = money(quoted);
  if (call.kind === 'AIRTIME')
    return html`You are about to send airtime of ${amount} to ${call.msisdn}.`;
  if (call.kind === 'PACKAGE')
    return html`You are about to send a package for ${amount} to ${call.msisdn}.`;
  return call.msisdn === null
    ? html`You are about to sell an anonymous voucher of ${amount}.`
    : html`You are about to sell a voucher of ${amount} to ${call.msisdn}.`;
}

/** Makes a confirmed sale, once, by the operation of the API. */
async function makeSale(sold: Sold, request: AccountRequest): Promise<PageAnswer> {
  const { services } = request;
  const [key, { call }] = [onceKey(request), readCall(sold, request)];
  if (key === undefined || !call) return problems.invalid;
  const company = callerOf(request);
  // A form that is sent again gets the answer of its sale, whatever the price is now. That look comes last: the same form
  // may sell meanwhile, and what its quote lacks then is what the sale took.
  const quote = await quoteOf(services, company, call);
  if (!(await hasBegun(services, { company, kind: sold.operation, key }))) {
    if (quote.refusal) return formPage(sold, request, { refusal: quote.refusal });
    if (!isAsQuoted(quote, request))
      return quotePage(sold, request, { call, quote, hasChanged: true });
  }
  if (call.kind === 'GIFT') return sellVoucher(sold, request, { call, key });
  return sendTopup(sold, request, { call, key });
}

type VoucherCall = Extract<QuotedCall, { kind: 'GIFT' }>;
type TopupCall = Exclude<QuotedCall, VoucherCall>;

/** Only this answer shows the code; a form that is sent again gets it again. */
async function sellVoucher(
  sold: Sold,
  request: AccountRequest,
  { call, key }: { readonly call: VoucherCall; readonly key: string },
): Promise<PageAnswer> {
  const { services } = request;
  const { kind, ...content } = call;
  await recordOperation(request, 'sell voucher', {
    denominationId: call.denominationId,
    merchantIdentifier: call.merchantIdentifier,
    isAnonymous: call.msisdn === null,
  });
  const { result, replayed } = await generateVoucherOnce(services, {
    company: callerOf(request),
    key,
    content,
    voucher: voucherOf(call),
  });
  if (!result.ok) return notSold(sold, request, result);
  const { id, amount, operation_id, code_ciphertext } = result.voucher;
  const code = services.secretBox.open(code_ciphertext, `voucher ${operation_id}`);
  return secretPage({
    title: 'The voucher is sold',
    name: html`Gift voucher of ${money(amount)}`,
    warning: html`<strong>Give this code to the owner now: it is shown only here.</strong> Who has it can redeem the
voucher, with the code by SMS if the voucher has an owner.`,
    secret: { name: 'voucher-code', label: 'Voucher code', value: formatVoucherCode(code) },
    further: replayed && phrase(SENT_AGAIN),
    back: `${PORTAL_PATH}/vouchers/${id}`,
  });
}

async function sendTopup(
  sold: Sold,
  request: AccountRequest,
  { call, key }: { readonly call: TopupCall; readonly key: string },
): Promise<PageAnswer> {
  const topup = call.kind === 'AIRTIME' ? airtimeOf(call) : packageOf(call);
  const { kind, amount, productId } = topup;
  await recordOperation(request, 'sell top-up', { kind, amount, productId });
  const { operation } = sold;
  const company = callerOf(request);
  const answer = await topupOnce(request.services, { company, operation, key, topup });
  const to = (id: number, notice: string): PageAnswer =>
    redirect(`${PORTAL_PATH}/top-ups/${id}`, notice);
  if ('accepted' in answer)
    return to(
      answer.accepted.transactionId,
      'The top-up was accepted. Its result is not known yet.',
    );
  const { result, replayed } = answer;
  if (result.ok)
    return to(result.transactionId, replayed ? SENT_AGAIN : 'The top-up was delivered.');
  if (result.transactionId === undefined) return notSold(sold, request, result);
  return to(result.transactionId, failureNotice(result));
}

/** Only the same form gets the answer of a sale that still runs. */
const notSold = (sold: Sold, { form, formToken }: AccountRequest, refusal: Refusal): PageAnswer =>
  refusal.reason === 'still-processing'
    ? {
        kind: 'page',
        title: 'The sale still runs',
        status: 202,
        content: html`<h1>The sale still runs</h1>
<section class="card"><p>It was accepted. Look again in a few seconds: it is not sold twice.</p>
${postForm(
  { formToken },
  `${PORTAL_PATH}${sold.path}/sale`,
  html`${onceField(form.text('once'))}${hidden(form, [...sold.names, 'quoted', 'quotedPrice'])}
<p class="actions"><button>Look again</button></p>`,
)}</section>`,
      }
    : refusedPage({ title: NOTHING_SOLD, refusal, back: PORTAL_PATH + sold.path });

/** The form of a kind, its quote, and its sale. A phone number stands in no address: the quote is a POST. */
const pagesOf = (sold: Sold) => [
  ...portal.asked({
    path: sold.path,
    needs: 'operate',
    confirmation: 'none',
    kind: 'partner',
    ask: (request) => formPage(sold, request),
    async handle(request) {
      if (onceKey(request) === undefined) return problems.invalid;
      if (request.form.text('change') === 'yes') return formPage(sold, request);
      const { call, wrong } = readCall(sold, request);
      if (!call) return formPage(sold, request, { problems: wrong ?? {} });
      const quote = await quoteOf(request.services, callerOf(request), call);
      if (quote.refusal) return formPage(sold, request, { refusal: quote.refusal });
      return quotePage(sold, request, { call, quote });
    },
  }),
  portal.form({
    path: `${sold.path}/sale`,
    needs: 'operate',
    confirmation: (request) => confirmedSale(sold, request),
    kind: 'partner',
    handle: (request) => makeSale(sold, request),
  }),
];

/** Sales one at a time: what bulk orders and the API do, for somebody at a desk. */
export const sellPages = [showSell, ...soldKinds.flatMap(pagesOf)];
