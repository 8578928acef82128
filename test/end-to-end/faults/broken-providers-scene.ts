import { expect } from 'vitest';
import type { Environment } from '../../../src/config/config.ts';
import { addRoute } from '../../../src/db/providers.ts';
import type { ProviderName, RouteKind } from '../../../src/domain/providers.ts';
import { freePort } from '../../../src/local/processes.ts';
import type { ProviderFault } from '../../../src/sandbox/faults.ts';
import { staffClient } from '../../pages/staff/staff-client.ts';
import { call, partnerClient } from '../../support/clients.ts';
import { deposit, makePartner } from '../../support/companies.ts';
import { RELOADLY_WEBHOOK_SECRET } from '../../support/stack.ts';
import { makeTopupProducts } from '../../support/topups.ts';
import { setRedemptionScene } from '../gift/redemption-scene.ts';
import {
  claim,
  type Kind,
  kindOf,
  type Prepare,
  payment,
  type Seller,
  topup,
} from './met-operations.ts';

export type BrokenScene = Awaited<ReturnType<typeof setBrokenScene>>;

/** The whole service with all providers; what a partner sells goes to the providers of its route alone. */
export async function setBrokenScene(
  settings: Environment = {},
  options: Parameters<typeof setRedemptionScene>[1] = {},
) {
  const port = await freePort();
  const callbacks = `http://127.0.0.1:${port}/callbacks`;
  const scene = await setRedemptionScene(
    {
      PORT: String(port),
      CALLER_WAIT_SECONDS: '3',
      // Callers of other tests are not held up by what a fault has left.
      PROVIDER_BREAKER_CALLS: '1000',
      // Longer than a busy machine holds up an answer, and shorter than the sandbox and its faults are slow.
      PROVIDER_TIMEOUT_SECONDS: '2',
      CALLBACK_URL: callbacks,
      SMPP_RECONNECT_SECONDS: '0.1',
      SMPP_RECONNECT_MAXIMUM_SECONDS: '0.2',
      SMPP_THROTTLE_PAUSE_SECONDS: '0.1',
      ...settings,
    },
    options,
  );
  const { sandbox } = scene.stack;
  sandbox.postSmsReportsTo(`${callbacks}/africas-talking`);
  await fetch(`${sandbox.reloadlyUrl}/dashboard/webhook`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `${callbacks}/reloadly`, secret: RELOADLY_WEBHOOK_SECRET }),
  });
  const staff = await staffClient(scene.stack, 'OPERATOR');
  const parts = { scene, staff: staff.client };
  const kinds: Readonly<Record<Kind, readonly [RouteKind, Prepare]>> = {
    message: ['sms', claim(parts)],
    payment: ['payout', payment(parts)],
    'top-up': ['topup-airtime', topup(parts)],
  };

  const makeSeller = async (route: readonly ProviderName[]): Promise<Seller> => {
    const partner = await makePartner(scene.stack, { giftWallet: '100000' });
    await makeTopupProducts(scene.stack, partner);
    await deposit(scene.stack, partner.id, '100000', 'airtime');
    for (const [index, provider] of route.entries())
      await scene.stack.database.transaction().execute((transaction) =>
        addRoute(transaction, {
          kind: kinds[kindOf[provider]][0],
          provider,
          position: index + 1,
          partner_id: partner.id,
        }),
      );
    return { partner, client: await partnerClient(scene.stack, partner) };
  };

  return {
    ...scene,
    /** Prepares operations of one partner at a provider, and at the next ones after it, one by one. */
    async operationsAt(first: ProviderName, ...next: readonly ProviderName[]) {
      const seller = await makeSeller([first, ...next]);
      return (suffix = '000') => kinds[kindOf[first]][1](seller, suffix);
    },
    /** Breaks a provider as a tester does; without a fault it is mended. */
    async breakProvider(provider: ProviderName, fault: Partial<ProviderFault> = {}) {
      const url = `${sandbox.url}/faults/${provider}`;
      expect((await call(url, { method: 'PUT', body: fault })).status).toBe(200);
    },
  };
}
