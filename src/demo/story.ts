import type { DemoFile } from '../start/demo-file.js';
import { type DemoScene, setScene } from './scene.js';
import { buyPackage } from './stories/buy-package.js';
import { explainMoney } from './stories/explain-money.js';
import { leaveTopUpToSupport } from './stories/leave-top-up-to-support.js';
import { redeemAnonymousGift } from './stories/redeem-anonymous-gift.js';
import { redeemGiftAtTill } from './stories/redeem-gift-at-till.js';
import { redeemPartOfGift } from './stories/redeem-part-of-gift.js';
import { retryTopUp } from './stories/retry-top-up.js';
import { shareBetweenProviders } from './stories/share-between-providers.js';
import { topUpAirtime } from './stories/top-up-airtime.js';
import type { Transcript } from './transcript.js';

interface Chapter {
  readonly title: string;
  /** @throws {DemoError} at the first unexpected step */
  readonly play: (scene: DemoScene) => Promise<void>;
}

const chapters: readonly Chapter[] = [
  { title: 'A gift is redeemed at the till', play: redeemGiftAtTill },
  { title: 'A partner redeems a part of a gift', play: redeemPartOfGift },
  { title: 'An anonymous gift needs no code', play: redeemAnonymousGift },
  { title: 'Airtime is topped up', play: topUpAirtime },
  { title: 'A failed top-up is retried to another number', play: retryTopUp },
  { title: 'A package is bought', play: buyPackage },
  { title: 'A failed top-up waits for support staff', play: leaveTopUpToSupport },
  { title: 'Six providers share the work', play: shareBetweenProviders },
  { title: 'The ledger explains the money, line by line', play: explainMoney },
];

/**
 * Plays all chapters against a running service.
 *
 * @throws {DemoError} at the first unexpected step
 */
export async function playStory(demo: DemoFile, transcript: Transcript): Promise<void> {
  const scene = await setScene(demo, transcript);
  for (const { title, play } of chapters) {
    transcript.chapter(title);
    await play(scene);
  }
}
