import { z } from 'zod';
import { partnerBalances } from '../db/ledger/ledger.ts';
import { moneyToNumber, parseMoney } from '../domain/money.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { listLinks, listMeta } from '../http/lists/list-filters.ts';

const balance = (description: string) =>
  z.number().meta({ description: `${description}, in ETB`, examples: [12500.5] });

/** Shows a partner's three balances (specification 2.10). */
export const showBalanceEndpoint = endpoint({
  method: 'GET',
  path: '/info/get-current-balance',
  operation: 'list',
  summary: 'Read the wallet balances',
  description: 'Balances in ETB: airtime, gift, and the value of unused vouchers.',
  access: 'token',
  scope: 'read',
  answer: z.object({
    walletBalance: balance('Airtime balance, which pays airtime and packages'),
    eMoneyWalletBalance: balance('Gift balance, which pays vouchers'),
    reservedBalance: balance('Value of generated vouchers that is not used yet'),
  }),
  hasMeta: true,
  reasons: [],
  async handle({ services, company, path }) {
    const balances = await partnerBalances(services.database, company.id);
    const meta = listMeta({ page: 1, limit: 1 }, 1);
    // Specification 2.2: the meta of the balance has only the first four fields; its link also has
    // the order.
    const sorted = { ...meta, sortBy: [['walletBalance', 'ASC']] as const };
    return reply(
      {
        walletBalance: moneyToNumber(parseMoney(balances.airtime)),
        eMoneyWalletBalance: moneyToNumber(parseMoney(balances.gift)),
        reservedBalance: moneyToNumber(parseMoney(balances.reserved)),
      },
      {
        meta,
        links: listLinks(services.settings.http.publicUrl + path, sorted),
        message: 'Current balances',
      },
    );
  },
});
