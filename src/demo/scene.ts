import type { DemoFile } from '../start/demo-file.ts';
import { createCaller, type DemoCaller } from './caller.ts';
import { createMerchant, type DemoMerchant, type DemoPartner, logPartnerIn } from './companies.ts';
import { createOperator, createOperatorChange, type DemoOperator } from './operator.ts';
import { prepareSale } from './partner-steps.ts';
import { newPhoneNumber } from './sandbox-reader.ts';
import { findPackage, type Package } from './stories/find-package.ts';
import type { Transcript } from './transcript.ts';

/** The companies and addresses of the stories. */
export interface DemoScene {
  readonly transcript: Transcript;
  readonly startedAt: Date;
  readonly partner: DemoPartner;
  readonly partnerId: string;
  readonly merchant: DemoMerchant;
  readonly merchantId: number;
  readonly sandbox: DemoCaller;
  readonly operator: DemoOperator;
  readonly change: ReturnType<typeof createOperatorChange>;
  /** The phone number of the gifts' owner. */
  readonly owner: string;
  readonly package: Package;
  /** The id of the denomination of an amount. */
  readonly denominationOf: (amountEtb: number) => number;
}

/** Logs the partner in and reads the catalogue, like every integration. */
export async function setScene(demo: DemoFile, transcript: Transcript): Promise<DemoScene> {
  transcript.chapter('The partner prepares its sale');
  const startedAt = new Date();
  const { merchantId } = demo.merchant;
  const { partner, partnerId } = await logPartnerIn(demo, transcript);
  const denominationOf = await prepareSale(partner, merchantId);
  const found = await findPackage(partner);
  const operator = createOperator(transcript);
  const merchant = createMerchant(demo, transcript);
  const sandbox = createCaller(transcript, demo.sandboxUrl);
  return {
    transcript,
    startedAt,
    partner,
    partnerId,
    merchant,
    merchantId,
    sandbox,
    operator,
    change: createOperatorChange(transcript),
    owner: newPhoneNumber(),
    package: found,
    denominationOf,
  };
}
