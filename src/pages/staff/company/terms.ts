import { z } from 'zod';
import { listAuditEntries } from '../../../db/access/calls.ts';
import { listAccountChecks } from '../../../db/catalogue/payout-accounts.ts';
import { readCompanyLimits } from '../../../db/limits/daily-limits.ts';
import { readMerchantTerms } from '../../../db/vouchers/generation.ts';
import { type Html, type HtmlValue, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { termsFacts } from '../../layout/company-parts.ts';
import { badge, facts, money, table, textColumn, timeColumn } from '../../layout/parts.ts';
import type { StaffRequest } from '../../page.ts';
import { accountTable } from '../payout-accounts.ts';
import { companyPages, partPage } from './company-pages.ts';

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

/** The newest changes that are looked at, which an import may fill with others. */
const CHANGES = 50;

/** The details of an entry of the audit log about a changed fee. */
const feeChange = z.object({
  changes: z.object({
    serviceFeePercent: z.object({ from: z.string().nullable(), to: z.string().nullable() }),
  }),
});

const percent = (fee: string | null): string => (fee === null ? 'None' : `${Number(fee)} %`);

/** The fees that were in force before: a claim keeps the fee of its time. */
async function feeChanges({ services }: StaffRequest, id: number): Promise<Html | false> {
  const entries = await listAuditEntries(services.database, {
    subjectKind: 'merchant',
    subjectId: id,
    limit: CHANGES,
    actions: ['set service-fee', 'import merchants'],
  });
  const changes = entries.flatMap(({ at, actor, details }) => {
    const { data } = feeChange.safeParse(details);
    return data ? [{ at, actor, ...data.changes.serviceFeePercent }] : [];
  });
  return (
    changes.length > 0 &&
    table('Changes of the service fee', changes, [
      textColumn('Fee', ({ to }) => percent(to), 'head'),
      textColumn('Before', ({ from }) => percent(from), 'plain'),
      timeColumn('Since', 'at'),
      textColumn('Set by', 'actor'),
    ])
  );
}

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
${checks.length > 0 && accountTable(request, { caption: 'What providers say of the account', rows: checks, back: 'company' })}
${await feeChanges(request, id)}
<p class="quiet">An operator corrects the payout account: <code>npm run admin -- merchant payout-account set --merchant
${id} --key msisdn --value NUMBER</code></p></section>`,
    });
  },
});
