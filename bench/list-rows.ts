import { sql } from 'kysely';
import { makePartner, type TestPartner } from '../test/support/companies.ts';
import type { Service } from './service.ts';

/**
 * Fills every list with so many rows for each of so many partners. A third of the products are
 * packages; each of the others has a category of its own.
 */
export async function addListRows(
  service: Service,
  options: { readonly rows: number; readonly partners: number },
): Promise<TestPartner[]> {
  const { database } = service;
  const partners: TestPartner[] = [];
  for (let count = 0; count < options.partners; count += 1)
    partners.push(await makePartner(service));
  const rows = sql`generate_series(1, ${options.rows}::integer) as row`;
  const name = sql`md5(row::text)`;
  const statements = [
    sql`insert into merchant_categories (category_name) select ${name} from ${rows}`,
    sql`insert into merchants (merchant_name, merchant_type, identifier_type, identifier, email,
        phone, address, merchant_category_id)
      select ${name}, 'RETAIL', 1, row::text, 'merchant@test.example', '+251911000000',
        'Addis Ababa', 1 + row % 10 from ${rows}`,
    sql`insert into product_categories (category_name, category_description)
      select ${name}, 'A category' from ${rows}`,
    sql`insert into product_categories (category_name, category_description)
      values ('PACKAGES', 'Packages')`,
    sql`insert into products (product_name, pricing_type, product_category_id, kind, price_amount)
      select category_name, 'COMISSION', product_categories.id, 'PACKAGE', 15
      from product_categories join ${rows} on category_name = 'PACKAGES' and row % 2 = 0
        or category_name = ${name}
      order by row`,
    sql`insert into partner_products (partner_id, product_id)
      select partners.id, products.id from partners, products on conflict do nothing`,
    sql`insert into promos (product_category_id, promo_name, promo_image, promo_description,
        promo_start_date, promo_end_date)
      select 1, ${name}, 'promos/a.png', 'A promo', now() - interval '1 day',
        now() + interval '1 day' from ${rows}`,
    sql`insert into gift_denominations (product_id, amount_etb) select 1, row from ${rows}`,
    sql`insert into partner_gift_denomination_prices
        (partner_id, denomination_id, merchant_id, selling_price_usd)
      select partners.id, 1, merchants.id, 1.5 from partners, merchants`,
    sql`insert into topups (operation_id, workflow_id, request_digest, partner_id, kind, amount,
        msisdn, exchange_rate, currency, originating_country)
      select partners.id || ':' || row, '', '', partners.id, 'AIRTIME', 50, 'hash.mask.k1.box',
        '57.2', 'USD', 'US' from partners, ${rows}`,
    sql`vacuum (analyze)`,
  ];
  for (const statement of statements) await statement.execute(database);
  return partners;
}
