import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import {
  findValidPublicKey,
  listPublicKeys,
  revokePublicKey,
} from '../../../db/access/company-access.ts';
import { addPublicKey } from '../../../db/catalogue/companies.ts';
import { parsePublicKey, publicKeyFingerprint } from '../../../http/signature/public-key.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand, lookCommand } from '../../command.ts';
import { argument, id, type Parser, required } from '../../fields.ts';
import { requireSubject } from '../../record-names.ts';
import { column, numbers, table, time } from '../../tables.ts';

const fingerprintOf = (publicKeyPem: string): string =>
  publicKeyFingerprint(parsePublicKey(publicKeyPem));

/** A public key in PEM, from a file or, for "-", from standard input. */
const publicKeyFile: Parser<string> = {
  placeholder: 'file',
  async parse(file) {
    const text = await (file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')).catch(
      (error: NodeJS.ErrnoException) => {
        throw new AdminError(`cannot be read (${error.code})`);
      },
    );
    try {
      return parsePublicKey(text).export({ type: 'spki', format: 'pem' }).toString();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new AdminError(`contains no usable key: ${error.message}`);
    }
  },
};

export const registerPublicKey = changeCommand({
  name: 'register public-key',
  details:
    'A key on the curve secp256k1, in PEM. Several keys of a merchant can be valid together; a ' +
    'key is valid for one merchant only. The portal demands a proof of the private key; this ' +
    'command does not. ' +
    'Compare the fingerprint with the merchant’s own: openssl ec -pubin -in public-key.pem ' +
    '-conv_form uncompressed -param_enc named_curve -outform der | sha256sum',
  fields: {
    merchant: required(id, 'The id of the merchant'),
    file: required(publicKeyFile, 'The PEM file, or - for standard input'),
  },
  examples: [
    'register public-key --merchant 3 --file public-key.pem',
    'register public-key --merchant 3 --file - < public-key.pem',
  ],
  async change(transaction, input) {
    const { name } = await requireSubject(transaction, 'merchant', input.merchant);
    const fingerprint = fingerprintOf(input.file);
    const known = await listPublicKeys(transaction, input.merchant);
    const same = known.find(
      (row) => row.revokedAt === null && fingerprintOf(row.publicKeyPem) === fingerprint,
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
      subject: { kind: 'merchant', id: input.merchant },
      details: { publicKeyId, fingerprint, proven: false },
      text:
        `Registered public key ${publicKeyId} of merchant ${input.merchant} (${name}) without a ` +
        'proof of its private key: compare the fingerprint (SHA-256) with ' +
        `the merchant’s own.\n\n  ${fingerprint}\n`,
    };
  },
});

/** A key signs for one merchant; otherwise each of two could send the other's signed requests. */
const registeredBefore = (
  fingerprint: string,
  other: { id: number; merchantId: number } | undefined,
) =>
  other
    ? `This key is valid as public key ${other.id} of merchant ${other.merchantId}: each merchant needs ` +
      `its own key pair. Fingerprint ${fingerprint}`
    : `This key was just registered by another command: see "list public-keys". Fingerprint ${fingerprint}`;

export const revokePublicKeyCommand = changeCommand({
  name: 'revoke public-key',
  fields: { id: argument(id, 'The id of the key: see list public-keys') },
  examples: ['revoke public-key 2'],
  async change(transaction, input) {
    const key = await revokePublicKey(transaction, input.id);
    if (!key)
      throw new AdminError(`There is no valid public key ${input.id}: see "list public-keys".`);
    return {
      subject: { kind: 'merchant', id: key.merchantId },
      details: { publicKeyId: input.id, fingerprint: fingerprintOf(key.publicKeyPem) },
      text: `Revoked public key ${input.id} of merchant ${key.merchantId}.`,
    };
  },
});

type ListedPublicKey = Awaited<ReturnType<typeof listPublicKeys>>[number];

/** Public keys as a table. */
export const publicKeyTable = (keys: readonly ListedPublicKey[]): string =>
  table(keys, [
    numbers('id', (row) => row.id),
    column('fingerprint (sha-256)', (row) => fingerprintOf(row.publicKeyPem)),
    column('registered', (row) => time(row.createdAt)),
    column('proven', (row) => row.provenAt && time(row.provenAt)),
    column('revoked', (row) => row.revokedAt && time(row.revokedAt)),
  ]);

export const listPublicKeysCommand = lookCommand({
  name: 'list public-keys',
  fields: { merchant: required(id, 'The id of the merchant') },
  examples: ['list public-keys --merchant 3'],
  async look(database, { merchant }) {
    await requireSubject(database, 'merchant', merchant);
    const keys = await listPublicKeys(database, merchant);
    return {
      json: keys.map((row) => ({ ...row, fingerprint: fingerprintOf(row.publicKeyPem) })),
      text: publicKeyTable(keys),
    };
  },
});
