import { orderVouchersOnce } from '../../../operations/order-vouchers.ts';
import { csv } from '../../../rendering/csv.ts';
import { readBulkFile } from '../../bulk/read-bulk-file.ts';
import { locale, sentence } from '../../language/language.ts';
import { callerOf, onceKey, recordOperation, refusedPage } from '../../operate.ts';
import type { AccountPage } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { BULK_PATH, uploadPage } from './order-in-bulk.ts';

/** Orders the lines that the person has confirmed: once, however often the form is sent. */
export const orderBulk: AccountPage = {
  method: 'POST',
  path: '/bulk-orders',
  access: 'account',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  form: 'with-list',
  async handle(request) {
    const [key, text] = [onceKey(request), request.form.text('rows')];
    if (key === undefined) return problems.invalid;
    const file = await readBulkFile(request, text);
    if (!file.ok) return uploadPage(request, { problems: file.problems, pasted: text });
    const lines = file.lines.map(({ ordered }) => ordered);
    await recordOperation(request, 'order vouchers', { lines: lines.length });
    const company = callerOf(request);
    const { result } = await orderVouchersOnce(request.services, { company, key, lines });
    if ('ok' in result)
      return refusedPage({ title: 'Nothing was ordered', refusal: result, back: BULK_PATH });
    return {
      kind: 'redirect',
      to: `${BULK_PATH}/${result.id}`,
      notice: sentence(
        'The order of {1} vouchers was accepted.',
        result.lines.toLocaleString(locale()),
      ),
    };
  },
};

/** A file to begin with. */
export const downloadBulkExample: AccountPage = {
  method: 'GET',
  path: '/order-in-bulk/example',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  handle: () =>
    Promise.resolve({
      kind: 'file',
      name: 'bulk-order-example.csv',
      type: 'text/csv',
      content: csv([
        ['reference', 'amount', 'merchant', 'phone', 'restricted'],
        ['order-417/1', '500', 'MER-0001', '0911234567', 'yes'],
        ['order-417/2', '100', 'MER-0001', '', 'no'],
      ]),
    }),
};
