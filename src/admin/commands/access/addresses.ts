import { listSourceAddresses, removeSourceAddress } from '../../../db/access/company-access.ts';
import { addSourceAddresses } from '../../../db/catalogue/companies.ts';
import {
  countsAsSource,
  isAllowlistHostname,
  MAXIMUM_NAMES,
  readAllowlistEntry,
} from '../../../http/access/allowlist-entries.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, id, type Parser } from '../../fields.ts';
import { companyFields, ownerOf, requireCompany } from '../../record-names.ts';
import { column, numbers, table, time } from '../../tables.ts';

const address: Parser<string> = {
  placeholder: 'address',
  parse(given) {
    const read = readAllowlistEntry(given, 'operator');
    if (read.ok) return read.entry;
    throw new AdminError(
      read.problem === 'unreadable'
        ? 'must be an IPv4 or IPv6 address, a range such as 203.0.113.0/24, or a fully qualified ' +
            'name such as till.shop.example'
        : `must not be a range wider than /${read.leastBits}`,
    );
  },
};

export const registerAddress = changeCommand({
  name: 'register address',
  details:
    'The service refuses calls from unregistered addresses. It resolves names regularly; outside ' +
    'the test environment their private addresses do not count.',
  fields: {
    address: argument(address, 'IPv4, IPv6, a range such as 203.0.113.0/24, or a name'),
    ...companyFields,
  },
  examples: [
    'register address 203.0.113.7 --partner 1',
    'register address 2001:db8:12::/48 --merchant 3',
    'register address till.shop.example --merchant 3',
  ],
  async change(transaction, input) {
    const company = await requireCompany(transaction, input);
    const known = await listSourceAddresses(transaction, company);
    const { address: given } = input;
    const whose = `${company.kind} ${company.id}`;
    if (known.some((row) => row.address === given))
      return { unchanged: `No change: ${given} is already registered for ${whose}.` };
    const names = known.filter((row) => isAllowlistHostname(row.address));
    if (isAllowlistHostname(given) && names.length >= MAXIMUM_NAMES)
      throw new AdminError(`${whose} already has ${MAXIMUM_NAMES} names, the maximum.`);
    const [addressId] = await addSourceAddresses(transaction, company, [given]);
    return {
      subject: company,
      details: { addressId, address: given },
      text: `Registered ${given} for ${whose}.`,
    };
  },
});

export const removeAddress = changeCommand({
  name: 'remove address',
  details: 'Calls from it are refused within two seconds.',
  fields: { id: argument(id, 'The id of the address: see list addresses') },
  examples: ['remove address 5'],
  async change(transaction, input) {
    const removed = await removeSourceAddress(transaction, input.id);
    if (!removed) throw new AdminError(`There is no address ${input.id}: see "list addresses".`);
    const company = ownerOf(removed);
    return {
      subject: company,
      details: { addressId: input.id, address: removed.address },
      text: `Removed ${removed.address} of ${company.kind} ${company.id}.`,
    };
  },
});

type ListedAddress = Awaited<ReturnType<typeof listSourceAddresses>>[number];

/** Addresses as a table. */
export const addressTable = (addresses: readonly ListedAddress[]): string =>
  table(addresses, [
    numbers('id', (row) => row.id),
    column('address', (row) =>
      countsAsSource(row.address) ? row.address : `${row.address} (too wide: ineffective)`,
    ),
    column('registered', (row) => time(row.createdAt)),
  ]);

export const listAddresses = lookCommand({
  name: 'list addresses',
  fields: companyFields,
  examples: ['list addresses --partner 1'],
  async look(database, input) {
    const company = await requireCompany(database, input);
    const addresses = await listSourceAddresses(database, company);
    return { json: addresses, text: addressTable(addresses) };
  },
});
