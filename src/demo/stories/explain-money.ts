import { z } from 'zod';
import { inBirr, moneyOf } from '../amounts.ts';
import { readBalances } from '../partner-steps.ts';
import type { DemoScene } from '../scene.ts';

const statementSchema = z.object({
  lines: z.array(z.object({ explanation: z.string() })),
  closingBalance: z.string(),
  total: z.string(),
  ledgerBalance: z.string(),
});

/** The operator's view: every balance with the purpose of each line. */
export async function explainMoney(scene: DemoScene): Promise<void> {
  const { transcript, partner, partnerId, operator, startedAt } = scene;
  const balances = await readBalances(partner, 'The partner reads its balances a last time.');
  for (const wallet of ['airtime', 'gift', 'reserved'] as const) {
    const { lines, closingBalance, total, ledgerBalance } = await operator({
      title: `The operator has the ${wallet} balance explained, from the beginning of this demo.`,
      words: [
        ...['statement', '--partner', partnerId, '--wallet', wallet],
        ...['--from', startedAt.toISOString()],
      ],
      answer: statementSchema,
    });
    transcript.confirm(
      moneyOf(closingBalance) === balances[wallet] && total === ledgerBalance,
      `${lines.length} lines lead to ${inBirr(balances[wallet])}, the balance that the partner sees`,
    );
  }
  await operator({
    title: 'It has the whole ledger checked against vouchers, redemptions and top-ups.',
    words: ['check-ledger'],
    answer: z.object({ ok: z.literal(true) }),
  });
  transcript.confirm(true, 'money and states agree everywhere');
}
