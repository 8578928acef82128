import type { DemoFile } from '../start/demo-file.js';
import { type Caller, createCaller } from './caller.js';
import { logMerchantIn, logPartnerIn } from './companies.js';
import { prepareSale } from './partner-steps.js';
import { newPhoneNumber } from './sandbox-reader.js';
import type { Transcript } from './transcript.js';

/** Who and what the chapters are about. */
export interface Scene {
  readonly transcript: Transcript;
  readonly partner: Caller;
  readonly merchant: Caller;
  readonly merchantId: number;
  readonly sandbox: Caller;
  /** The phone number of the one who is given the gifts. */
  readonly owner: string;
  /** The id of the denomination of an amount. */
  readonly denominationOf: (amountEtb: number) => number;
}

/** Logs everybody in and looks around, as every integration begins. */
export async function setScene(demo: DemoFile, transcript: Transcript): Promise<Scene> {
  transcript.chapter('The partner prepares its sale');
  const { merchantId } = demo.merchant;
  const partner = await logPartnerIn(demo, transcript);
  const denominationOf = await prepareSale(partner, merchantId);
  const merchant = await logMerchantIn(demo, transcript);
  const sandbox = createCaller(transcript, demo.sandboxUrl);
  const owner = newPhoneNumber();
  return { transcript, partner, merchant, merchantId, sandbox, owner, denominationOf };
}
