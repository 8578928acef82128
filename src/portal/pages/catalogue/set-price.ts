import { findNamedMerchants } from '../../../db/bulk/bulk-subjects.ts';
import {
  findPrice,
  listPartnerPrices,
  priceSubjects,
  replacePrice,
} from '../../../db/catalogue/prices.ts';
import { html } from '../../../rendering/html.ts';
import { changeAccess } from '../../access/change-access.ts';
import { sentence } from '../../language/language.ts';
import { amount, money } from '../../layout/money.ts';
import { field, postForm } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, idOf, type PageAnswer } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { PRICES_PATH, usd } from './prices.ts';

interface Wrong {
  readonly price: string;
  readonly merchant: string;
  readonly priceProblem?: string;
  readonly merchantProblem?: string;
}

const denominationOf = async ({ services, session, ...request }: AccountRequest) => {
  const prices = await listPartnerPrices(services.database, session.company.id);
  return prices.find(
    ({ denominationId, status }) => denominationId === idOf(request) && status === 'ACTIVE',
  );
};

/** Asks for the selling price of a voucher. */
export const askPrice: AccountPage = {
  method: 'GET',
  path: '/prices/:id',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  handle: (request) => pricePage(request),
};

async function pricePage(request: AccountRequest, wrong?: Wrong): Promise<PageAnswer> {
  const found = await denominationOf(request);
  if (!found) return problems.notFound;
  const { denominationId, sellingPriceUsd, merchantId } = found;
  const now = sellingPriceUsd === null || merchantId !== null ? '' : usd(sellingPriceUsd);
  return {
    kind: 'page',
    title: 'Price of a voucher',
    status: wrong ? 422 : 200,
    content: html`<h1>Price of the voucher of ${money(found.amount)}</h1>
<section class="card"><p>The price holds for vouchers that are generated from now on. It costs you
${money(found.amount)} from the gift wallet each, whatever your price is.</p>
${postForm(
  { action: `${PRICES_PATH}/${denominationId}`, formToken: request.formToken },
  html`${field({
    name: 'price',
    label: 'Your price in USD',
    value: wrong?.price ?? now,
    error: wrong?.priceProblem,
    maximumLength: 20,
  })}
${field({
  name: 'merchant',
  label: 'Only for this merchant',
  hint: 'Its identifier, such as MER-0001. Empty: all merchants without their own price.',
  value: wrong?.merchant ?? '',
  error: wrong?.merchantProblem,
  isOptional: true,
})}
<p class="actions"><button>Set the price</button><a href="${PRICES_PATH}">Back</a></p>`,
)}</section>`,
  };
}

/** As the API accepts it (positiveDecimalField), with cents or finer. */
const isPrice = (text: string): boolean =>
  /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,6})?$/.test(text) && /[1-9]/.test(text);

/** Sets the selling price of a voucher; the one before stays as history. */
export const setPrice: AccountPage = {
  method: 'POST',
  path: '/prices/:id',
  access: 'account',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  async handle(request) {
    const { services, session, form } = request;
    const [price, merchant] = [form.text('price').trim(), form.text('merchant').trim()];
    const found = await denominationOf(request);
    if (!found) return problems.notFound;
    if (!isPrice(price))
      return pricePage(request, {
        ...{ price, merchant },
        priceProblem: 'Enter an amount above 0 with at most 6 decimals, such as 9.50.',
      });
    const [named] = await findNamedMerchants(services.database, {
      ids: [],
      identifiers: [merchant],
    });
    if (merchant !== '' && !named)
      return pricePage(request, {
        ...{ price, merchant },
        merchantProblem: 'There is no active merchant with this identifier.',
      });
    const { denominationId } = found;
    const merchantId = named?.id ?? null;
    const wanted = { partnerId: session.company.id, denominationId, merchantId };
    await changeAccess(request, 'set selling-price', async (transaction) => {
      const { hasDenomination } = await priceSubjects(transaction, wanted);
      if (!hasDenomination) return undefined;
      const before = (await findPrice(transaction, wanted)) ?? null;
      await replacePrice(transaction, { ...wanted, sellingPriceUsd: price });
      const { amount: etb } = found;
      const details = { denominationId, amount: etb, merchantId, before, after: price };
      return { result: true, details };
    });
    const notice = sentence(
      'The price of the voucher of ETB {1} is USD {2} now.',
      amount(found.amount),
      price,
    );
    return { kind: 'redirect', to: PRICES_PATH, notice };
  },
};
