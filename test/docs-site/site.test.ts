import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { guides } from '../../src/docs-site/markdown.ts';
import { operationPath } from '../../src/docs-site/pages/reference.ts';
import { once } from '../../src/http/once.ts';
import { merchantRoutes } from '../../src/merchant/routes.ts';
import { partnerRoutes } from '../../src/partner/routes.ts';
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
const crawl = once(async (): Promise<ReadonlyMap<string, string>> => {
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
});

test.each([
  ['GET', 'text/html,application/xhtml+xml,*/*;q=0.8', 302],
  ['HEAD', 'text/html', 302],
  ['POST', 'text/html', 404],
  ['GET', '*/*', 404],
  ['GET', 'application/json', 404],
])('%s of the address alone for %s is %i', async (method, accept, status) => {
  const answer = await fetch(stack.url, { method, headers: { accept }, redirect: 'manual' });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('location')).toBe(status === 302 ? '/docs' : null);
  if (status === 302) expect(answer.headers.get('vary')).toContain('Accept');
});

describe('the documentation', () => {
  it('has a page for every guide, and every link leads to a place that is there', async () => {
    const pages = await crawl();
    for (const { path } of guides()) expect([...pages.keys()]).toContain(`/docs${path}`);
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
    for (const path of [
      ...['/docs', '/docs/reference/partner', '/docs/reference/merchant/redeem-voucher'],
      ...['/docs/guides/sign-requests', '/docs/search?q=a', '/docs/nothing'],
    ]) {
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
    expect(
      guides()
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(files.toSorted());
    const { text } = await get('/docs/guides/first-call-partner');
    expect(text).not.toMatch(/^# |\]\(/m);
    expect(text).toContain(`${stack.api.services.settings.http.publicUrl}/api/v1/client`);
    const { text: tests } = await get('/docs/guides/test-your-integration');
    expect(tests).toContain(`href="${SANDBOX_URL}/phone"`);
    expect(tests).toContain(`${SANDBOX_URL}/messages?to=`);
    expect(tests).not.toContain('localhost:3001');
  });

  it('what does not exist is a page that leads on', async () => {
    const { response, text } = await get('/docs/guides/nothing');
    expect(response.status).toBe(404);
    expect(text).toContain('<h1>There is no such page</h1>');
    const posted = await fetch(`${stack.url}/docs/errors`, { method: 'POST' });
    expect(posted.status).toBe(405);
    expect(posted.headers.get('allow')).toBe('HEAD, GET');
  });
});

describe('the reference', () => {
  it.each([partnerRoutes, merchantRoutes])(
    'has a page for each endpoint of the $surface API, which lists them all and marks itself',
    async ({ surface, endpoints }) => {
      const paths = endpoints.map((endpoint) => `/docs${operationPath(surface, endpoint)}`);
      expect(new Set(paths).size).toBe(endpoints.length);
      for (const [place, path] of paths.entries()) {
        const { response, text } = await get(path);
        expect(response.status, path).toBe(200);
        expect(text).toContain(`<h1 id="`);
        const menu = text.slice(text.indexOf('<nav id="menu"'), text.indexOf('</nav>'));
        expect(linksOf(menu)).toEqual(expect.arrayContaining(paths));
        expect(menu.match(/ aria-current="page"/g)).toHaveLength(1);
        expect(menu).toContain(`href="${path}" aria-current="page">${endpoints[place]?.summary}<`);
      }
    },
  );

  it.each(['partner', 'merchant'])(
    'of the %s API was one page, which leads on',
    async (surface) => {
      const { response } = await get(`/docs/${surface}`);
      expect(response.status).toBe(301);
      expect(response.headers.get('location')).toBe(`/docs/reference/${surface}`);
    },
  );
});

describe('pages for programs', () => {
  it('each page names itself as Markdown, and /llms.txt names them all', async () => {
    const { response, text } = await get('/llms.txt');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^# .+\n\n> .+\n\n## /);
    const { publicUrl } = stack.api.services.settings.http;
    const listed = [...text.matchAll(/\]\((\S+)\): \S/g)].map(([, url = '']) =>
      url.replace(publicUrl, ''),
    );
    expect(listed.length).toBeGreaterThan(50);
    const named: string[] = [];
    for (const page of (await crawl()).values()) {
      const [, path] = / type="text\/markdown" href="([^"]+)"/.exec(page) ?? [];
      if (path === undefined) continue;
      named.push(path);
      const { response: answer, text: markdown } = await get(path);
      expect(answer.headers.get('content-type'), path).toBe('text/markdown; charset=utf-8');
      expect(markdown, path).toMatch(/^# [A-Z]/);
      expect(markdown, path).not.toMatch(/<\/?(a|p|div|table|code)\b/);
    }
    expect(named.toSorted()).toEqual(listed.toSorted());
  });

  it('caches ask whether a page, its Markdown or a download has changed', async () => {
    for (const path of ['/docs', '/docs/index.md', '/llms.txt', '/docs/downloads/SHA256SUMS']) {
      const { response } = await get(path);
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      const etag = response.headers.get('etag') ?? '';
      const again = await fetch(stack.url + path, { headers: { 'If-None-Match': etag } });
      expect(again.status, path).toBe(304);
    }
  });
});

describe('downloads', () => {
  /** The archives of the page, with the checksums that it shows. */
  async function listed(): Promise<{ readonly path: string; readonly checksum: string }[]> {
    const { text } = await get('/docs/downloads');
    const sums = new Map(
      [...text.matchAll(/([0-9a-f]{64}) {2}([\w.-]+)/g)].map(([, sum = '', file = '']) => [
        file,
        sum,
      ]),
    );
    const paths = linksOf(text).filter((href) => /^\/docs\/downloads\/.+gz$/.test(href));
    return paths.map((path) => ({ path, checksum: sums.get(path.split('/').at(-1) ?? '') ?? '' }));
  }

  const contentOf = async (path: string) => {
    const response = await fetch(stack.url + path);
    expect(response.headers.get('content-type'), path).toBe('application/gzip');
    return Buffer.from(await response.arrayBuffer());
  };

  it('are archives with the checksums that are shown', async () => {
    const archives = await listed();
    expect(archives).toHaveLength(5);
    const { text } = await get('/docs/downloads/SHA256SUMS');
    for (const { path, checksum } of archives) {
      const content = await contentOf(path);
      expect(createHash('sha256').update(content).digest('hex'), path).toBe(checksum);
      expect(text).toContain(`${checksum}  ${path.split('/').at(-1)}\n`);
    }
  });

  it('hold every file of the clients, the collections and the examples, and nothing of the machine', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'downloads-'));
    const lines: string[] = [];
    for (const { path } of await listed()) {
      const input = await contentOf(path);
      const shown = ['-tvzf', '-', '--numeric-owner', '--utc'];
      lines.push(...execFileSync('tar', shown, { input, encoding: 'utf8' }).trim().split('\n'));
      execFileSync('tar', ['-xzf', '-', '-C', folder], { input });
    }
    // Neither its times nor its people.
    expect(lines.filter((line) => !/ 0\/0 .* 2000-01-01 00:00 /.test(line))).toEqual([]);
    expect(lines.filter((line) => /__pycache__|node_modules|\/\./.test(line))).toEqual([]);
    const sources: Readonly<Record<string, string>> = {
      'clients/python/src': 'voucher_topup-1.0.0/src',
      'clients/bruno': 'bruno-collections',
      'examples/webhooks': 'webhook-receivers',
      'examples/signing': 'signing-programs',
    };
    const missing = Object.entries(sources).flatMap(([source, target]) =>
      execFileSync('git', ['ls-files', source], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .filter((file) => {
          const held = join(folder, target + file.slice(source.length));
          return !existsSync(held) || !readFileSync(held).equals(readFileSync(file));
        }),
    );
    expect(missing).toEqual([]);
    for (const file of ['index.js', 'index.d.ts'])
      expect(existsSync(join(folder, 'package/dist', file))).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

describe('a refusal before its endpoint', () => {
  it.each([
    ['GET', '/api/v1/client/nothing', 'partner-404-route-not-found'],
    ['GET', '/api/v1/merchant/client/nothing', 'merchant-404-route-not-found'],
    ['PUT', '/api/v1/merchant/client/test', 'merchant-405-method-not-allowed'],
    ['POST', '/api/v1/client/auth/login', 'partner-400-request-invalid'],
  ])('%s %s leads to the line of its reason', async (method, path, anchor) => {
    const body = method === 'POST' ? { body: '{' } : {};
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(stack.url + path, { method, headers, ...body });
    const [, page = '', hash] = /^<([^#]+)#([^>]+)>/.exec(answer.headers.get('link') ?? '') ?? [];
    expect([new URL(page).pathname, hash]).toEqual(['/docs/errors', anchor]);
    expect((await get('/docs/errors')).text).toContain(` id="${anchor}"`);
  });
});

describe('the search', () => {
  it.each([
    ['4091', '/docs/errors#merchant-4091'],
    ['generate a voucher', '/docs/reference/partner/generate-voucher'],
    ['Retry-After', '/docs/guides/repeat-safely'],
    ['GENERATE VOUCHER', '/docs/reference/partner/generate-voucher'],
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
