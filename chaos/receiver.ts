import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent } from '../clients/typescript/src/index.ts';
import { createSecretBox } from '../src/crypto/secret-box.ts';
import type { Company } from '../src/domain/vouchers/voucher.ts';
import type { Stops } from '../src/local/start/stops.ts';
import { registerWebhook } from '../src/operations/webhooks.ts';
import { startRawServer } from '../test/providers/raw-server.ts';
import { companyName, merchantCompany, partnerCompany } from './clients/client-log.ts';
import { createRandom, type Random } from './random.ts';
import type { ThrowawayStack } from './throwaway-stack.ts';
import type { World } from './world.ts';

/** Longer than the service waits for a receiver. */
const SLOW_MS = 2_500;

/** What becomes of a delivery, each with how often it comes. Only `accept` is a delivery. */
const answers = { accept: 14, fail: 2, redirect: 2, hang: 1, 'break off': 1 };

/** The fifth book: what the receiver of each company with a webhook has accepted. */
export interface ChaosReceiver {
  /** By company ("partner 3"), in the order of acceptance, with repetitions. */
  readonly accepted: ReadonlyMap<string, readonly WebhookEvent[]>;
  /** What no receiver may get: foreign or wrongly signed messages, and followed redirects. */
  readonly wrong: readonly string[];
  /** From now on every delivery is accepted. */
  calm(): void;
}

/**
 * Starts a receiver on this machine that fails, hangs and redirects at random, and registers it for all
 * partners and some merchants.
 */
export async function startReceiver(
  stack: ThrowawayStack,
  world: World,
  { seed, stops }: { readonly seed: number; readonly stops: Stops },
): Promise<ChaosReceiver> {
  const random = createRandom(seed, 'receiver');
  const accepted = new Map<string, WebhookEvent[]>();
  const secrets = new Map<string, string>();
  const wrong: string[] = [];
  let isCalm = false;
  const server = await startRawServer((request, response) => {
    const owner = decodeURIComponent(request.url?.slice(1) ?? '');
    void buffer(request).then((body) => {
      try {
        const event = verifyWebhook(request.headers, body, secrets.get(owner) ?? '');
        if (answer(response, isCalm ? 'accept' : random.weighted(answers)))
          accepted.get(owner)?.push(event);
      } catch (error) {
        wrong.push(`${request.method} ${request.url}: ${(error as Error).message}`);
        response.writeHead(400).end();
      }
    });
  });
  stops.add(() => server.close());
  for (const company of listeners(world, random)) {
    const owner = companyName(company);
    accepted.set(owner, []);
    secrets.set(
      owner,
      await register(stack, company, `${server.url}/${encodeURIComponent(owner)}`),
    );
  }
  return {
    accepted,
    wrong,
    calm() {
      isCalm = true;
    },
  };
}

const listeners = ({ partners, merchants }: World, random: Random): Company[] => [
  ...partners.map(({ id }) => partnerCompany(id)),
  ...random
    .shuffled(merchants)
    .slice(0, 5)
    .map(({ id }) => merchantCompany(id)),
];

/** Registers a webhook as portal and command line do; returns its secret. */
const register = (stack: ThrowawayStack, company: Company, url: string): Promise<string> =>
  stack.database.transaction().execute(async (transaction) => {
    const registered = await registerWebhook(
      transaction,
      { company, url, description: 'Chaos', types: [], createdBy: 'chaos' },
      { secretBox: createSecretBox(stack.config.secrets.dataKeys), settings: stack.config },
    );
    if (!registered.ok) throw new Error(registered.problem);
    return registered.secret;
  });

/** Returns whether the delivery was accepted. */
function answer(response: ServerResponse, kind: keyof typeof answers): boolean {
  switch (kind) {
    case 'accept':
      response.writeHead(204).end();
      return true;
    case 'fail':
      response.writeHead(500).end('{"garbage":');
      return false;
    case 'redirect':
      // Nobody is registered there: who follows it is found by the missing secret.
      response.writeHead(301, { Location: '/elsewhere' }).end();
      return false;
    case 'hang':
      setTimeout(() => response.end(), SLOW_MS).unref();
      return false;
    case 'break off':
      response.destroy();
      return false;
  }
}
