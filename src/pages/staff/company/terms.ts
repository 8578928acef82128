import { listAccountChecks } from '../../../db/catalogue/payout-accounts.ts';
import { listPartnerPrices } from '../../../db/catalogue/prices.ts';
import { readCompanyLimits } from '../../../db/limits/daily-limits.ts';
import { readMerchantTerms } from '../../../db/vouchers/generation.ts';
import { type HtmlValue, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { termsFacts, usd } from '../../layout/company-parts.ts';
import { badge, facts, money, time } from '../../layout/parts.ts';
import { accountTable } from '../payout-accounts.ts';
import { companyPages, declarePart, partPage } from './company-pages.ts';

/** The limits and budgets of a company for a day (UTC), and their use so far. */
export const limitsPages = companyPages({
  path: '/limits',
  async handle({ services: { database, settings } }, company) {
    const limits = await readCompanyLimits(database, company);
    if (!limits) return problems.notFound;
    const { messagesPerCompanyAndDay, codeAttemptsPerCompanyAndDay } = settings.vouchers;
    const { amountLimit, operationsLimit } = limits;
    return partPage(company, {
      title: 'Limits and budgets of today (UTC)',
      content: html`<section class="card">${facts({
        ...(company.kind === 'partner' && {
          'Daily amount':
            amountLimit === null
              ? 'No limit'
              : html`${money(limits.spent)} of ${money(amountLimit)}`,
          'Daily vouchers and top-ups':
            operationsLimit === null ? 'No limit' : `${limits.operations} of ${operationsLimit}`,
        }),
        Messages: usedOf(limits.messages, limits.messagesBudget, messagesPerCompanyAndDay),
        'Wrong codes': usedOf(
          limits.wrongCodes,
          limits.wrongCodesBudget,
          codeAttemptsPerCompanyAndDay,
        ),
      })}</section>`,
    });
  },
});

/** The use of a budget: that of the company, or else that of the settings. */
const usedOf = (used: number, own: number | null, setting: number): HtmlValue =>
  html`${used >= (own ?? setting) && badge('danger', 'Spent')} ${used} of ${own ?? setting}${own !== null && ', its own budget'}`;

/** Checks of one payout account at most: one for each provider. */
const CHECKS = 20;

/** A merchant's fee and payout account, and what providers say of it. */
export const termsPages = companyPages({
  path: '/terms',
  kinds: ['merchant'],
  async handle(request, company) {
    const { database } = request.services;
    const { id } = company;
    const checks = await listAccountChecks(database, { merchantId: id, limit: CHECKS });
    return partPage(company, {
      title: 'Fee and payout account',
      content: html`<section class="card">${termsFacts(await readMerchantTerms(database, id))}
${checks.length > 0 && accountTable(request, { caption: 'What providers say of the account', rows: checks, back: 'company' })}</section>`,
    });
  },
});

type Price = Awaited<ReturnType<typeof listPartnerPrices>>[number];

/** What a partner's vouchers cost its customers. */
export const pricesPart = declarePart<Price>({
  path: '/prices',
  title: 'Prices of vouchers',
  kinds: ['partner'],
  nothing: 'The partner may sell no voucher.',
  read: ({ services }, { id }, page) => listPartnerPrices(services.database, id, page),
  columns: () => [
    {
      title: 'Voucher',
      phone: 'head',
      value: ({ amount, status }) =>
        html`${money(amount)} ${status === 'INACTIVE' && badge('plain', 'Not sold now')}`,
    },
    {
      title: 'Price',
      phone: 'figure',
      value: ({ sellingPriceUsd }) =>
        sellingPriceUsd === null ? badge('warning', 'Not set') : `USD ${usd(sellingPriceUsd)}`,
    },
    {
      title: 'For',
      phone: 'plain',
      value: ({ sellingPriceUsd, merchant }) =>
        sellingPriceUsd !== null && (merchant ?? 'All merchants without their own price'),
    },
    { title: 'Since', value: ({ since }) => since && time(since) },
  ],
});
