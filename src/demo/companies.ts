import { decodeJwt } from 'jose';
import { MerchantClient, PartnerClient } from '../../clients/typescript/src/index.ts';
import type { DemoFile } from '../start/demo-file.ts';
import { type Narrated, narratedClient } from './narrated-client.ts';
import type { Transcript } from './transcript.ts';

export type DemoPartner = Narrated<PartnerClient>;
export type DemoMerchant = Narrated<MerchantClient>;

/** The demo partner, which logs in at once; its token names it. */
export async function logPartnerIn(
  { partner: access }: DemoFile,
  transcript: Transcript,
): Promise<{ readonly partner: DemoPartner; readonly partnerId: string }> {
  const partner = narratedClient(
    transcript,
    { ...access, company: 'partner' },
    (settings) => new PartnerClient(settings),
  );
  const token = await partner('The log-in', (client) => client.accessToken());
  return { partner, partnerId: String(decodeJwt(token).sub) };
}

/** The demo merchant: its client logs in at the first call, and signs. */
export const createMerchant = (
  { merchant: { privateKeyPem: privateKey, ...access } }: DemoFile,
  transcript: Transcript,
): DemoMerchant =>
  narratedClient(
    transcript,
    { ...access, company: 'merchant' },
    (settings) => new MerchantClient({ ...settings, privateKey }),
  );
