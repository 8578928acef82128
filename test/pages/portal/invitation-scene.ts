import { randomUUID } from 'node:crypto';
import type { Environment } from '../../../src/config/config.ts';
import { addMerchant } from '../../../src/db/catalogue/companies.ts';
import type { InvitationStatus } from '../../../src/db/people/invitations.ts';
import { commandsOn } from '../../admin/scene.ts';
import { call } from '../../support/clients.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { until } from '../../support/until.ts';
import { type PortalAnswer, portalClient } from './portal-client.ts';

export const PASSWORD = 'a password of my own';

let merchants = 0;

export interface InvitedMerchant {
  readonly id: number;
  readonly email: string;
  /** Of the newest invitation. */
  readonly invitationId: string;
}

/** A stack on which operators invite merchants and tests read the messages. */
export async function setInvitationScene(settings: Environment = {}) {
  const stack = await startStack({ WORKER_PICKUP_SECONDS: '0.05', ...settings });
  return { ...invitationsOn(stack), stop: () => stack.stop() };
}

/** The same on what is running already. */
export function invitationsOn<
  On extends Pick<Stack, 'url' | 'database' | 'config'> &
    Partial<Pick<Stack, 'urlFor'>> & { sandbox: { url: string } },
>(stack: On) {
  const operator = commandsOn({
    DATABASE_URL: stack.urlFor?.('operator') ?? stack.config.database.databaseUrl,
  });

  /** A new merchant; its e-mail address and the end of its number steer the sandbox. */
  async function newMerchant({ mailbox = 'owner', suffix = '000' } = {}) {
    merchants += 1;
    const email = `${mailbox}-${randomUUID()}@coffee.example`;
    const phone = `+25194${String(merchants).padStart(4, '0')}${suffix}`;
    const id = await addMerchant(stack.database, {
      merchant_name: 'Abyssinia Coffee',
      merchant_type: 'RETAIL',
      identifier_type: 1,
      identifier: randomUUID(),
      email,
      phone,
      address: 'Addis Ababa',
    });
    return { id, email, phone };
  }

  /** Invites a merchant; the messages come later. */
  async function invite(merchantId: number, more = ''): Promise<string> {
    const { invitationId } = await operator.json(`merchant invite ${merchantId}${more}`);
    return invitationId;
  }

  /** The link in a text; its host is what the settings say. */
  const tokenIn = (text: string): string | undefined =>
    /\/portal\/activate\/([0-9A-Za-z]{26})(?![0-9A-Za-z])/.exec(text)?.[1];

  const received = async (path: string): Promise<{ text: string; messageId?: string }[]> =>
    (await call(stack.sandbox.url + path)).body;
  const mails = (to: string) => received(`/mails?to=${encodeURIComponent(to)}`);
  const texts = (to: string) => received(`/messages?to=${encodeURIComponent(to)}`);

  /** The path of the newest link, once so many have come by mail. */
  const mailedPath = (email: string, count = 1): Promise<string> =>
    until(async () => {
      const tokens = (await mails(email)).flatMap(({ text }) => tokenIn(text) ?? []);
      if (tokens.length < count) throw new Error('No mail has come');
      return `/portal/activate/${tokens[0]}`;
    });

  const invitationRow = (id: string) =>
    stack.database
      .selectFrom('merchant_invitations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  const untilStatus = (id: string, status: InvitationStatus) =>
    until(async () => {
      const row = await invitationRow(id);
      if (row.status !== status) throw new Error(`The invitation is ${row.status}`);
      return row;
    });

  /** Until no message needs the link's token any more. */
  const untilSent = (id: string) =>
    until(async () => {
      const row = await invitationRow(id);
      if (row.status !== 'OPEN' || row.token_ciphertext !== null) throw new Error('Not sent yet');
      return row;
    });

  /** A merchant whose link has come by mail. */
  async function invited(options = {}): Promise<InvitedMerchant & { path: string; phone: string }> {
    const merchant = await newMerchant(options);
    const invitationId = await invite(merchant.id);
    return { ...merchant, invitationId, path: await mailedPath(merchant.email) };
  }

  /** Opens a link and chooses a password, in a browser of its own. */
  async function activate(path: string, password = PASSWORD) {
    const client = portalClient(stack);
    const opened = await client.get(path);
    const answer: PortalAnswer =
      opened.status === 200
        ? await client.submit(path, path, { 'new-password': password })
        : opened;
    return { client, opened, answer };
  }

  return {
    stack,
    operator,
    newMerchant,
    invite,
    invited,
    activate,
    tokenIn,
    mails,
    texts,
    mailedPath,
    invitationRow,
    untilStatus,
    untilSent,
  };
}
