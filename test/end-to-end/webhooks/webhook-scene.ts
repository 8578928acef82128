import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { sql } from 'kysely';
import type { Environment } from '../../../src/config/config.ts';
import { createSecretBox } from '../../../src/crypto/secret-box.ts';
import type { Company } from '../../../src/domain/vouchers/voucher.ts';
import { registerWebhook } from '../../../src/operations/webhooks.ts';
import { type RawServer, startRawServer } from '../../providers/raw-server.ts';
import { makePartner, type TestPartner } from '../../support/companies.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** What a receiver got. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every type.
  readonly event: any;
}

export interface Receiver extends RawServer {
  readonly received: ReceivedWebhook[];
}

/** Whether Standard Webhooks' signature is that of the secret; written apart from the product's. */
export function isSigned({ headers, text }: ReceivedWebhook, secret: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

/** The service with webhooks that may be on this machine, and a partner. */
export async function setWebhookScene(settings: Environment = {}) {
  const stack: Stack = await startStack({
    WEBHOOK_PRIVATE_NETWORKS: 'on',
    EVENT_NUMBERING_SECONDS: '0.05',
    WEBHOOK_DISPATCH_SECONDS: '0.05',
    // A machine may hold up an answer, and a call that hangs still hangs when all others have been served.
    WEBHOOK_TIMEOUT_SECONDS: '20',
    WEBHOOK_FIRST_PAUSE_SECONDS: '0.2',
    WEBHOOK_LONGEST_PAUSE_SECONDS: '0.4',
    ...settings,
  });
  const partner: TestPartner = await makePartner(stack);
  const servers: RawServer[] = [];
  const { database } = stack;

  /** A receiver that keeps what it gets, and answers as it is told; 200 by default. */
  async function receiver(
    answer: (
      response: ServerResponse,
      got: ReceivedWebhook,
      request: IncomingMessage,
    ) => unknown = (response) => response.end(),
  ): Promise<Receiver> {
    const received: ReceivedWebhook[] = [];
    const server = await startRawServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const got = { headers: request.headers, text, event: JSON.parse(text) };
        received.push(got);
        answer(response, got, request);
      });
    });
    servers.push(server);
    return { ...server, received };
  }

  const company: Company = { kind: 'partner', id: partner.id };

  /** Registers a webhook as portal and command line do. */
  const register = (
    url: string,
    more: {
      company?: Company;
      types?: readonly string[];
    } = {},
  ) =>
    database.transaction().execute(async (transaction) => {
      const registered = await registerWebhook(
        transaction,
        {
          company: more.company ?? company,
          url,
          description: '',
          types: more.types ?? [],
          createdBy: 'test',
        },
        { secretBox: createSecretBox(stack.config.secrets.dataKeys), settings: stack.config },
      );
      if (!registered.ok) throw new Error(registered.problem);
      return registered;
    });

  /** Writes events as triggers do, one for each subject. */
  async function addEvents(
    subjects: readonly string[],
    more: { type?: string; company?: Company } = {},
  ) {
    const of = more.company ?? company;
    await sql`
      insert into events (company_kind, company_id, type, subject, data)
      select ${of.kind}, ${of.id}, ${more.type ?? 'voucher.expired'}, subject,
        jsonb_build_object('place', place)
      from unnest(${subjects}::text[]) with ordinality as given (subject, place)
    `.execute(database);
  }

  const deliveries = (endpointId: number) =>
    database
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('endpoint_id', '=', endpointId)
      .orderBy('id')
      .execute();

  const endpoint = (id: number) =>
    database
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  /** The webhooks and events of a company of its own. */
  async function another() {
    const { id } = await makePartner(stack);
    const of = { company: { kind: 'partner', id } } as const;
    return {
      partnerId: id,
      register: (url: string) => register(url, of),
      addEvents: (subjects: readonly string[]) => addEvents(subjects, of),
    };
  }

  return {
    stack,
    another,
    partner,
    company,
    receiver,
    register,
    addEvents,
    deliveries,
    endpoint,
    async stop() {
      await stack.stop();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

export type WebhookScene = Awaited<ReturnType<typeof setWebhookScene>>;
