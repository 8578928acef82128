import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promoImages } from '../../../src/http/files.ts';
import { demoCategories } from '../../../src/local/start/demo-data.ts';

const BASE = '/api/v1/client';
const image = Buffer.from('\x89PNG and what follows', 'latin1');

let folder: string;
let server: ReturnType<Koa['listen']>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'images-'));
  await mkdir(join(folder, 'images', 'promos', 'folder.png'), { recursive: true });
  await writeFile(join(folder, 'secret.png'), 'secret');
  for (const name of ['data-week.png', 'Data week.PNG', '.hidden.png', 'page.html', 'drawing.svg'])
    await writeFile(join(folder, 'images', 'promos', name), image);
  await symlink(join(folder, 'secret.png'), join(folder, 'images', 'promos', 'link.png'));
  await symlink('data-week.png', join(folder, 'images', 'promos', 'same.png'));
  const app = new Koa();
  app.use(promoImages(join(folder, 'images'), [BASE]));
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Sends the path as it is: fetch would resolve what leads upwards. */
const get = (path: string, options: { method?: string; headers?: Record<string, string> } = {}) =>
  new Promise<Got>((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    request({ port, host: '127.0.0.1', path, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks) });
      });
    })
      .on('error', reject)
      .end();
  });

describe('an image of a promo', () => {
  test.each([
    '/promos/data-week.png',
    `${BASE}/promos/data-week.png`,
    '/promos/Data%20week.PNG',
    '/promos/same.png',
  ])('is served under %s', async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(body).toEqual(image);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(image.length),
      'cache-control': 'public, max-age=3600',
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  test('is not sent to who has it, nor to who asks for its head', async () => {
    const { headers } = await get('/promos/data-week.png');
    const known = { 'If-None-Match': String(headers.etag) };
    expect(await get('/promos/data-week.png', { headers: known })).toMatchObject({
      status: 304,
      body: Buffer.alloc(0),
    });
    const head = await get('/promos/data-week.png', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(head.headers['content-length']).toBe(String(image.length));
  });

  test.each([
    ['/promos/none.png', 'GET'],
    ['/promos/data-week.png', 'POST'],
    ['/promos/data-week.png/', 'GET'],
    ['/promos/data-week.png/x.png', 'GET'],
    ['/promos//data-week.png', 'GET'],
    ['/promos/page.html', 'GET'],
    ['/promos/drawing.svg', 'GET'],
    ['/promos/folder.png', 'GET'],
    ['/promos/.hidden.png', 'GET'],
    ['/promos/link.png', 'GET'],
    ['/../secret.png', 'GET'],
    ['/promos/../../secret.png', 'GET'],
    ['/promos/%2e%2e/%2e%2e/secret.png', 'GET'],
    ['/promos/..%2f..%2fsecret.png', 'GET'],
    ['/promos/..%5c..%5csecret.png', 'GET'],
    ['/promos/data-week.png%00.png', 'GET'],
    [`/${'x'.repeat(300)}.png`, 'GET'],
  ])('is nothing else: %s by %s', async (path, method) => {
    expect(await get(path, { method })).toMatchObject({ status: 404 });
  });
});

test('each promo of the demo has its image', async () => {
  const names = demoCategories.flatMap(({ promos }) => promos.map((promo) => promo.promo_image));
  expect(names).toContain('promos/data-week.png');
  for (const name of names) {
    const content = await readFile(
      new URL(`../../../src/local/start/images/${name}`, import.meta.url),
    );
    expect(content.subarray(1, 4).toString()).toBe('PNG');
  }
});
