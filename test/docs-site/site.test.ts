import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guides } from '../../src/docs-site/guides.ts';
import { type Stack, startStack } from '../support/stack.ts';

/** Where integrators reach the sandbox of this deployment. */
const SANDBOX_URL = 'https://sandbox.example.test';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ SANDBOX_URL });
});
afterAll(() => stack.stop());

const get = async (path: string) => {
  const response = await fetch(stack.url + path, { redirect: 'manual' });
  return { response, text: await response.text() };
};

const linksOf = (text: string): string[] =>
  [...text.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

/** Every page that links lead to from the first one, by its path. */
async function crawl(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const waiting = ['/docs'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue;
    const { response, text } = await get(path);
    expect(response.status, path).toBe(200);
    pages.set(path, text);
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    const here = path;
    waiting.push(
      ...linksOf(text)
        .map((href) => new URL(href, stack.url + here))
        .filter(({ origin, pathname }) => origin === stack.url && pathname.startsWith('/docs'))
        .map(({ pathname }) => pathname),
    );
  }
  return pages;
}

describe('the documentation', () => {
  it('has a page for every guide, and every link leads to a place that is there', async () => {
    const pages = await crawl();
    for (const { path } of guides) expect([...pages.keys()]).toContain(`/docs${path}`);
    const broken: string[] = [];
    for (const [here, text] of pages)
      for (const href of linksOf(text)) {
        const { origin, pathname, hash } = new URL(href, stack.url + here);
        const target = origin === stack.url ? pages.get(pathname) : undefined;
        if (target === undefined || hash === '') continue;
        if (!target.includes(` id="${decodeURIComponent(hash.slice(1))}"`))
          broken.push(`${here}: ${href}`);
      }
    expect(broken).toEqual([]);
  });

  it('links lead to nothing that is not there', async () => {
    const pages = await crawl();
    const outside = [...pages].flatMap(([here, text]) =>
      linksOf(text).filter((href) => {
        const { origin, pathname } = new URL(href, stack.url + here);
        return (
          origin !== stack.url || !(pathname.startsWith('/docs') || pathname.startsWith('/portal'))
        );
      }),
    );
    // Pages of others can go; those that a guide names are named on purpose.
    expect(new Set(outside.map((href) => new URL(href, stack.url).origin))).not.toContain(
      stack.url,
    );
    expect(outside.filter((href) => href.endsWith('.md'))).toEqual([]);
  });

  it('loads nothing from elsewhere and runs nothing of a page', async () => {
    for (const path of ['/docs', '/docs/partner', '/docs/search?q=a', '/docs/nothing']) {
      const { response, text } = await get(path);
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      const loaded = [...text.matchAll(/ (?:src|href)="([^"]+\.(?:css|js|svg))"/g)];
      expect(loaded.length).toBeGreaterThan(2);
      for (const [, asset = ''] of loaded) {
        const answer = await fetch(new URL(asset, stack.url));
        expect(answer.status, asset).toBe(200);
        expect(new URL(asset, stack.url).origin).toBe(stack.url);
      }
      expect(text).not.toMatch(/<script>|<style|\son\w+=| style="/);
    }
  });

  it('shows every guide of the folder, with the address of this deployment', async () => {
    const files = readdirSync('docs/guides/integrate').map(
      (name) => `/guides/${name.slice(0, -3)}`,
    );
    expect(guides.map(({ path }) => path).toSorted()).toEqual(files.toSorted());
    const { text } = await get('/docs/guides/first-call-partner');
    expect(text).not.toMatch(/^# |\]\(/m);
    expect(text).toContain(`${stack.api.services.settings.publicUrl}/api/v1/client`);
    const { text: tests } = await get('/docs/guides/test-your-integration');
    expect(tests).toContain(`href="${SANDBOX_URL}/phone"`);
    expect(tests).toContain(`${SANDBOX_URL}/messages?to=`);
    expect(tests).not.toContain('localhost:3001');
  });

  it('what does not exist is a page that leads on', async () => {
    const { response, text } = await get('/docs/guides/nothing');
    expect(response.status).toBe(404);
    expect(text).toContain('<h1>There is no such page</h1>');
    const posted = await fetch(`${stack.url}/docs/partner`, { method: 'POST' });
    expect(posted.status).toBe(405);
    expect(posted.headers.get('allow')).toBe('HEAD, GET');
  });
});

describe('the search', () => {
  it.each([
    ['4091', '/docs/errors#merchant-4091'],
    ['generate a voucher', '/docs/partner#post-topup-transactions-generate-voucher'],
    ['Retry-After', '/docs/guides/repeat-safely'],
    ['GENERATE VOUCHER', '/docs/partner#post-topup-transactions-generate-voucher'],
  ])('for %j leads to %s', async (query, url) => {
    const { text } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
    const found = linksOf(text.slice(text.indexOf('<ul class="found">')));
    expect(found.some((href) => href.startsWith(url))).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['no such word', 'zzzz'],
    ['markup', '<script>alert(1)</script>'],
    ['very much', 'a '.repeat(1_500)],
    ['a pattern', '.*(+)+$[\\'],
  ])('bears %s', async (_name, query) => {
    const { response, text } = await get(`/docs/search?q=${encodeURIComponent(query)}`);
    expect(response.status).toBe(200);
    expect(text).not.toContain('<script>alert');
  });
});
