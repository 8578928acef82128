import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPayloadKeys, readStartConfig } from '../../src/config/config.ts';
import { freePort } from '../../src/local/processes.ts';
import { findTemporalBinary } from '../../src/local/temporal-binary.ts';
import { startTemporalServer } from '../../src/local/temporal-server.ts';
import { createProgress } from '../../src/runtime/process/progress.ts';
import { startCodecServer } from '../../src/runtime/temporal/codec-server.ts';
import { prepareTemporal } from '../../src/runtime/temporal/schedules.ts';
import type { RedemptionScene } from '../end-to-end/gift/redemption-scene.ts';
import { openBrowser, takePicture } from '../pages/portal/journeys/browser.ts';
import { NUMBER_IN_CLEAR } from '../support/number-in-clear.ts';
import { until } from '../support/until.ts';
import { makeTenStates, type State, setTenStatesScene, tenStates } from './make-ten-states.ts';
import { TEST_PAYLOAD_KEYS } from './payload-keys.ts';

/**
 * The ten states of ten-states.test.ts in the real Temporal UI, whose codec server decrypts them: what a
 * support agent sees. The pictures are in `.test/screenshots`.
 */
const stops: (() => unknown)[] = [];
let scene: RedemptionScene;
let page: Page;
const seen: Partial<Record<State, { readonly details: string; readonly history: string }>> = {};
/** What the dialogs for a message to a running workflow offer, by their title. */
const offered: Partial<Record<State, Readonly<Record<string, string>>>> = {};

beforeAll(async () => {
  const { uiUrl, address } = await startTemporalWithUi();
  const browser: Browser = await openBrowser();
  stops.push(() => browser.close());
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  scene = await setTenStatesScene({
    PAYLOAD_KEYS: TEST_PAYLOAD_KEYS,
    TEMPORAL_ADDRESS: address,
  });
  stops.push(() => scene.stop());
  await makeTenStates(scene, async (state, handle) => {
    const { runId } = await handle.describe();
    const url = `${uiUrl}/namespaces/default/workflows/${encodeURIComponent(handle.workflowId)}/${runId}`;
    seen[state] = await look(url, state);
    if (state in messages) offered[state] = await lookAtDialogs(url, state);
  });
}, 300_000);
afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

async function startTemporalWithUi() {
  const directory = await mkdtemp(join(tmpdir(), 'voucher-topup-service-ui-'));
  stops.push(() => rm(directory, { recursive: true, force: true }));
  const progress = createProgress();
  const uiPort = await freePort();
  const codec = await startCodecServer({
    port: 0,
    uiOrigins: [`http://127.0.0.1:${uiPort}`],
    payloadKeys: readPayloadKeys(TEST_PAYLOAD_KEYS),
  });
  stops.push(codec.stop);
  const { TEMPORAL_CLI_PATH: cliPath, XDG_CACHE_HOME: cacheHome } = readStartConfig();
  const server = await startTemporalServer({
    binary: await findTemporalBinary({ cliPath, cacheHome, progress }),
    directory,
    inMemory: true,
    port: 0,
    uiPort,
    codecEndpoint: codec.url,
    progress,
  });
  stops.push(server.stop);
  await prepareTemporal({ address: server.address, namespace: 'default' });
  return { address: server.address, uiUrl: `http://127.0.0.1:${uiPort}` };
}

/** The words of a page and of the frames that show Markdown, once it has some that are awaited. */
const wordsWith = (awaited: RegExp): Promise<string> =>
  until(async () => {
    const texts = await Promise.all(
      page.frames().map((frame) => frame.locator('body').textContent({ timeout: 5_000 })),
    );
    const words = texts.join('\n');
    expect(words).toMatch(awaited);
    return words;
  });

/** Opens the pages of a workflow, and gives their words. */
async function look(url: string, state: State) {
  const name = `temporal-${state.replaceAll(' ', '-')}`;
  await page.goto(`${url}/user-metadata`);
  const details = await wordsWith(firstWords[state]);
  await takePicture(page, `${name}-details`);
  await page.goto(`${url}/history`);
  // The newest hundred events: the first one is no longer among them if much was asked meanwhile.
  const history = await wordsWith(/Workflow Task Completed/);
  await takePicture(page, `${name}-history`);
  return { details, history };
}

/** Opens the dialogs for a signal and an update, and gives the words of their lists. */
async function lookAtDialogs(url: string, state: State): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [item, placeholder] of [
    ['Send a Signal', 'Select a signal'],
    ['Send an Update', 'Select an Update'],
  ] as const) {
    await page.goto(`${url}/user-metadata`);
    await wordsWith(firstWords[state]);
    await page.getByRole('button', { name: 'More Actions' }).last().click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByRole('button', { name: placeholder }).click();
    const options = page.getByRole('option').filter({ visible: true });
    await options.first().waitFor();
    // One more is the UI's own, for any other name.
    const texts = (await options.allInnerTexts()).filter((text) => !text.startsWith('Custom'));
    found[item] = texts.join('\n');
    await takePicture(page, `temporal-${state} ${item}`.toLowerCase().replaceAll(' ', '-'));
  }
  return found;
}

/** What a support agent must read there of the messages that are meant for people. */
const messages: Partial<Record<State, readonly RegExp[]>> = {
  'payment unknown': [
    /providerNudge\s+Asks the provider at once how the payment ended.* Safe at any time\. Needs no input\./,
  ],
  'top-up failed': [
    /retry\s+Makes one more attempt to the same number, if the last one failed and its amount needs no second person\./,
    /retryTopup\s+For the API alone\. To retry, send the signal "retry"\./,
  ],
};

const firstWords: Readonly<Record<State, RegExp>> = {
  'claim waiting': /Claimed: ETB 100\.00/,
  'claim expired': /Expired: the claim/,
  redeemed: /Paid: ETB 97\.50/,
  'payment refused': /Not paid: ETB 97\.50/,
  'payment unknown': /Payment unknown: ETB 97\.50/,
  'top-up failed': /Failed: top-up/,
  'top-up retried': /(Sending|Outcome unknown): top-up/,
  'top-up delivered': /Delivered: top-up/,
  'open case': /A provider did an order after all/,
  'reconciliation red': /Cases were opened\./,
};

it.each(Object.keys(tenStates) as State[])('%s', (state) => {
  const { details = '', history = '' } = seen[state] ?? {};
  expect(details).toMatch(firstWords[state]);
  // The summary of the workflow, which the codec server decrypts, too.
  expect(details).not.toMatch(/binary\/encrypted|Unable to decode/);
  if (state !== 'reconciliation red')
    expect(details).toContain('Open the case at the support desk');
  for (const words of [details, history]) expect(words).not.toMatch(NUMBER_IN_CLEAR);
});

it.each(Object.keys(messages) as State[])(
  '%s: the dialogs say which messages are for people',
  (state) => {
    const lists = Object.values(offered[state] ?? {});
    for (const expected of messages[state] ?? []) expect(lists.join('\n')).toMatch(expected);
    // The name of each message, and what it is for.
    expect(lists).toHaveLength(2);
    for (const list of lists)
      for (const option of list.split(/\n(?=[a-z]\w+\n)/))
        expect(option).toMatch(/^[a-z]\w+\s+(Asks|Makes|For the API alone|Do not send it)/);
  },
);
