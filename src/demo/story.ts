import type { DemoFile } from '../start/demo-file.ts';
import { type DemoScene, setScene } from './scene.ts';
import { buyPackage } from './stories/buy-package.ts';
import { explainMoney } from './stories/explain-money.ts';
import { leaveTopUpToSupport } from './stories/leave-top-up-to-support.ts';
import { redeemAnonymousGift } from './stories/redeem-anonymous-gift.ts';
import { redeemGiftAtTill } from './stories/redeem-gift-at-till.ts';
import { redeemPartOfGift } from './stories/redeem-part-of-gift.ts';
import { retryTopUp } from './stories/retry-top-up.ts';
import { shareBetweenProviders } from './stories/share-between-providers.ts';
import { topUpAirtime } from './stories/top-up-airtime.ts';
import type { Transcript } from './transcript.ts';

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
