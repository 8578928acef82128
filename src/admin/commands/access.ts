import { text as readAll } from 'node:stream/consumers';
import { z } from 'zod';
import {
  changeApiKey,
  findValidPublicKey,
  type ListedAddress,
  type ListedKey,
  type ListedPublicKey,
  listApiKeys,
  listPublicKeys,
  listSourceAddresses,
  removeSourceAddress,
  revokeApiKey,
  revokePublicKey,
} from '../../db/access/company-access.ts';
import { addPublicKey, addSourceAddresses, companyOfRow } from '../../db/catalogue/companies.ts';
import {
  needsRotation,
  ROTATION_WARNING_DAYS,
  type Scope,
  scopes,
  scopesOf,
} from '../../domain/access.ts';
import type { Company } from '../../domain/vouchers/voucher.ts';
import {
  countsAsSource,
  isAllowlistHostname,
  MAXIMUM_NAMES,
  readAllowlistEntry,
} from '../../http/access/allowlist.ts';
import { fingerprintOf, parsePublicKey } from '../../http/signature/public-key.ts';
import { issueApiKey, rotateApiKey } from '../../operations/api-keys.ts';
import { changeCommand, lookCommand } from '../command.ts';
import {
  AdminError,
  argument,
  byConversion,
  existing,
  id,
  optional,
  required,
  shownAs,
  text,
  wholeNumber,
  withDefault,
} from '../fields.ts';
import { readGivenFile } from '../given-file.ts';
import { keyServices } from '../keys.ts';
import {
  companyFields,
  companyList,
  lockedCompany,
  lockSubject,
  merchantField,
  requireSubject,
} from '../record-names.ts';
import { type Column, column, textTable, timeText } from '../tables.ts';
import { dailyLimits, requireApiKey } from './limits.ts';

const address = shownAs(
  'address',
  z.string().transform((given, context) => {
    const read = readAllowlistEntry(given, 'operator');
    if (read.ok) return read.entry;
    context.addIssue(
      read.problem === 'unreadable'
        ? 'must be an IPv4 or IPv6 address, a range such as 203.0.113.0/24, or a fully qualified ' +
            'name such as till.shop.example'
        : `must not be a range wider than /${read.leastBits}`,
    );
    return z.NEVER;
  }),
);

/** Scopes with commas between them, in the order of the table. */
const scopeList = byConversion(
  'scopes',
  `must be one or more of ${scopes.join(', ')}, with commas between them`,
  (given): readonly Scope[] | undefined => {
    const words = given.split(',').map((word) => word.trim());
    const isKnown = words.every((word) => (scopes as readonly string[]).includes(word));
    return isKnown ? scopes.filter((scope) => words.includes(scope)) : undefined;
  },
);

/** A public key in PEM, from a file or, for "-", from standard input. */
const publicKeyFile = shownAs(
  'file',
  z.string().transform(async (file, context) => {
    const text = await readAll(readGivenFile(file));
    try {
      return parsePublicKey(text).export({ type: 'spki', format: 'pem' }).toString();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      context.addIssue(`contains no usable key: ${error.message.replace(/\.$/, '')}`);
      return z.NEVER;
    }
  }),
);

/** What lists show of addresses. */
export const addressColumns: readonly Column<ListedAddress>[] = [
  'id',
  column('address', (row) =>
    countsAsSource(row.address) ? row.address : `${row.address} (too wide: ineffective)`,
  ),
  'createdAt',
];

/**
 * What lists show of API keys, identified by their prefixes. ROTATE marks keys beyond the recommended age
 * (specification 5).
 */
export const apiKeyColumns: readonly Column<ListedKey>[] = [
  'id',
  'name',
  'prefix',
  'scopes',
  column('a day', dailyLimits),
  column('status', (row) => (needsRotation(row) ? 'ROTATE' : row.status)),
  'createdAt',
  'ageDays',
  'lastUsedAt',
  'lastUsedAddress',
  'expiresAt',
  'revokedAt',
];

/** What lists show of public keys. */
export const publicKeyColumns: readonly Column<ListedPublicKey>[] = [
  'id',
  column('fingerprint (sha-256)', fingerprintOf),
  'createdAt',
  'provenAt',
  'revokedAt',
];

export const commands = {
  'access address add': changeCommand({
    action: 'register address',
    details:
      'The service refuses calls from unregistered addresses. It resolves names regularly; outside ' +
      'the test environment their private addresses do not count.',
    fields: {
      address: argument(address, 'IPv4, IPv6, a range such as 203.0.113.0/24, or a name'),
      ...companyFields,
    },
    examples: [
      '203.0.113.7 --partner 1',
      '2001:db8:12::/48 --merchant 3',
      'till.shop.example --merchant 3',
    ],
    async change(transaction, input) {
      const company = await lockedCompany(transaction, input);
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
  }),

  'access address remove': changeCommand({
    action: 'remove address',
    details: 'Calls from it are refused within two seconds.',
    fields: { id: argument(id, 'The id of the address: see access address list') },
    async change(transaction, input) {
      const removed = existing(
        await removeSourceAddress(transaction, input.id),
        `address ${input.id}`,
        'access address list',
      );
      const company = companyOfRow(removed);
      return {
        subject: company,
        details: { addressId: input.id, address: removed.address },
        text: `Removed ${removed.address} of ${company.kind} ${company.id}.`,
      };
    },
  }),

  'access address list': companyList({
    read: listSourceAddresses,
    columns: addressColumns,
  }),

  'access api-key set-scopes': changeCommand({
    action: 'set key-scopes',
    details:
      'The scopes replace those of the key. Its tokens follow within two seconds; what is running is ' +
      'checked again where it moves money. Scopes: read; vouchers; topups (partners).',
    fields: {
      id: argument(id, 'The id of the key: see access api-key list'),
      scopes: required(scopeList, 'What the key may do, such as read,topups'),
    },
    examples: ['7 --scopes read', '7 --scopes read,vouchers'],
    async change(transaction, input) {
      const key = await requireApiKey(transaction, input.id);
      const company = companyOfRow(key);
      const after = requireScopes(company, input.scopes);
      if (after.join() === key.scopes.join())
        return { unchanged: `No change: API key ${input.id} already has these scopes.` };
      await changeApiKey(transaction, input.id, { scopes: after });
      const [was, is] = [key.scopes, after].map((list) => list.join(', '));
      return {
        subject: company,
        details: { keyId: input.id, name: key.name, prefix: key.prefix, before: key.scopes, after },
        text: `API key ${input.id} (${key.name}) has the scopes ${is}; before: ${was}.`,
      };
    },
  }),

  'access api-key create': changeCommand({
    action: 'issue api-key',
    details:
      'Only a digest of the key is stored, so the key cannot be shown again. Several keys of a ' +
      'company can be valid together, so issue the new one before you revoke the old one. ' +
      'Needs the settings DIGEST_KEY and ENVIRONMENT of the service, unless "npm start" runs it.',
    fields: {
      ...companyFields,
      name: required(text, 'The name of the key, such as the server that will use it'),
      scopes: optional(scopeList, 'What the key may do; everything by default'),
    },
    examples: [
      '--partner 1 --name "Web shop"',
      '--merchant 3 --name Till',
      '--partner 1 --name Reports --scopes read',
    ],
    async change(transaction, input, { settings }) {
      const services = keyServices(settings);
      const company = await lockedCompany(transaction, input);
      const { name, scopes: given } = input;
      const scopes = given ? requireScopes(company, given) : scopesOf(company.kind);
      const issued = await issueApiKey(transaction, company, { name, scopes }, services);
      const { key, details } = issued;
      return {
        subject: company,
        details,
        text:
          `Issued API key ${details.keyId} (${name}) to ${company.kind} ${company.id}. ` +
          `It is shown only now:\n\n  ${key}\n`,
        secretOutput: { key },
      };
    },
  }),

  'access api-key rotate': changeCommand({
    action: 'rotate api-key',
    details:
      'The new key has the scopes and limits of the old one, which expires after the overlap; install the new one before. The new key is shown ' +
      'once. The command needs the settings of "access api-key create".',
    fields: {
      id: argument(id, 'The id of the old key: see access api-key list'),
      overlapHours: withDefault(wholeNumber(0, 720), 'How long the old key still works', 24),
    },
    examples: ['7', '7 --overlap-hours 0'],
    async change(transaction, { id, overlapHours }, { settings }) {
      const rotated = await rotateApiKey(transaction, { id, overlapHours }, keyServices(settings));
      if (!rotated)
        throw new AdminError(
          `There is no valid API key ${id} without an end: see "access api-key list".`,
        );
      const { key, name, company, expiresAt, details } = rotated;
      return {
        subject: company,
        details,
        text:
          `Issued API key ${details.keyId} (${name}) to ${company.kind} ${company.id}. Key ${id} ` +
          `works until ${timeText(expiresAt)}. The new key is shown only now:\n\n  ${key}\n`,
        secretOutput: { key },
      };
    },
  }),

  'access api-key revoke': changeCommand({
    action: 'revoke api-key',
    details: 'Calls with it are refused within two seconds.',
    fields: { id: argument(id, 'The id of the key: see access api-key list') },
    async change(transaction, input) {
      const key = existing(
        await revokeApiKey(transaction, input.id),
        `valid API key ${input.id}`,
        'access api-key list',
      );
      const company = companyOfRow(key);
      return {
        subject: company,
        details: { keyId: input.id, name: key.name, prefix: key.prefix },
        text: `Revoked API key ${input.id} (${key.name}) of ${company.kind} ${company.id}.`,
      };
    },
  }),

  'access api-key list': companyList({
    details: `ROTATE marks keys that are ${ROTATION_WARNING_DAYS} days old or older.`,
    read: listApiKeys,
    columns: apiKeyColumns,
  }),

  'access public-key add': changeCommand({
    action: 'register public-key',
    details:
      'A key on the curve secp256k1, in PEM. Several keys of a merchant can be valid together; a ' +
      'key is valid for one merchant only. The portal demands a proof of the private key; this ' +
      'command does not. ' +
      'Compare the fingerprint with the merchant’s own: openssl ec -pubin -in public-key.pem ' +
      '-conv_form uncompressed -param_enc named_curve -outform der | sha256sum',
    fields: {
      ...merchantField,
      file: required(publicKeyFile, 'The PEM file, or - for standard input'),
    },
    examples: ['--merchant 3 --file public-key.pem', '--merchant 3 --file - < public-key.pem'],
    async change(transaction, input) {
      const { name, subject } = await requireSubject(transaction, 'merchant', input.merchant);
      await lockSubject(transaction, subject);
      const fingerprint = fingerprintOf({ publicKeyPem: input.file });
      const known = await listPublicKeys(transaction, input.merchant);
      const same = known.find(
        (row) => row.revokedAt === null && fingerprintOf(row) === fingerprint,
      );
      if (same) {
        const unchanged = `No change: this is public key ${same.id} of merchant ${input.merchant}.`;
        return { unchanged: `${unchanged} Fingerprint ${fingerprint}` };
      }
      const other = await findValidPublicKey(transaction, fingerprint);
      const publicKeyId = other
        ? undefined
        : await addPublicKey(transaction, input.merchant, input.file);
      if (publicKeyId === undefined) throw new AdminError(registeredBefore(fingerprint, other));
      return {
        subject,
        details: { publicKeyId, fingerprint, proven: false },
        text:
          `Registered public key ${publicKeyId} of merchant ${input.merchant} (${name}) without a ` +
          'proof of its private key: compare the fingerprint (SHA-256) with ' +
          `the merchant’s own.\n\n  ${fingerprint}\n`,
      };
    },
  }),

  'access public-key revoke': changeCommand({
    action: 'revoke public-key',
    fields: { id: argument(id, 'The id of the key: see access public-key list') },
    async change(transaction, input) {
      const key = existing(
        await revokePublicKey(transaction, input.id),
        `valid public key ${input.id}`,
        'access public-key list',
      );
      return {
        subject: { kind: 'merchant', id: key.merchantId },
        details: { publicKeyId: input.id, fingerprint: fingerprintOf(key) },
        text: `Revoked public key ${input.id} of merchant ${key.merchantId}.`,
      };
    },
  }),

  'access public-key list': lookCommand({
    fields: merchantField,
    async look(database, { merchant }) {
      await requireSubject(database, 'merchant', merchant);
      const keys = await listPublicKeys(database, merchant);
      return {
        json: keys.map((row) => ({ ...row, fingerprint: fingerprintOf(row) })),
        text: textTable(keys, publicKeyColumns),
      };
    },
  }),
};

/** The scopes, if keys of the company can have them. @throws {AdminError} */
function requireScopes(company: Company, given: readonly Scope[]): readonly Scope[] {
  const impossible = given.find((scope) => !scopesOf(company.kind).includes(scope));
  if (impossible === undefined) return given;
  throw new AdminError(`Keys of a ${company.kind} cannot have the scope ${impossible}.`);
}

/** A key signs for one merchant; otherwise each of two could send the other's signed requests. */
const registeredBefore = (
  fingerprint: string,
  other: { id: number; merchantId: number } | undefined,
) =>
  other
    ? `This key is valid as public key ${other.id} of merchant ${other.merchantId}: each merchant needs ` +
      `its own key pair. Fingerprint ${fingerprint}`
    : `This key was just registered by another command: see "access public-key list". Fingerprint ${fingerprint}`;
