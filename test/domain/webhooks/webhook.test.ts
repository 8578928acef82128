import { describe, expect, it } from 'vitest';
import { readWebhookUrl, webhookHost } from '../../../src/domain/events.ts';

const inProduction = (given: string) => readWebhookUrl(given, { allowsPrivate: false });

describe('readWebhookUrl', () => {
  it.each([
    ['https://shop.example/hooks', 'https://shop.example/hooks'],
    [' https://SHOP.example:443/Hooks?to=1 ', 'https://shop.example/Hooks?to=1'],
    ['https://shop.example:8443', 'https://shop.example:8443/'],
    ['https://ሱቅ.example/', 'https://xn--oyd4b.example/'],
    ['https://xn--oyd4b.example/', 'https://xn--oyd4b.example/'],
  ])('accepts %s', (given, url) => {
    expect(inProduction(given)).toEqual({ ok: true, url });
  });

  it.each([
    ['', 'must be an address'],
    ['shop.example/hooks', 'must be an address'],
    ['http://shop.example/hooks', 'https://'],
    ['ftp://shop.example/hooks', 'https://'],
    ['javascript:alert(1)', 'https://'],
    ['https://user:word@shop.example/', 'user name'],
    ['https://user@shop.example/', 'user name'],
    ['https://shop.example/#part', 'fragment'],
    ['https://shop.example:22/', 'port'],
    ['https://shop.example:0/', 'port'],
    ['https://shop.example:80/', 'port'],
    ['https://127.0.0.1/', 'public host'],
    ['https://8.8.8.8/', 'public host'],
    ['https://2130706433/', 'public host'],
    ['https://0x7f.1/', 'public host'],
    ['https://0177.0.0.1/', 'public host'],
    ['https://[::1]/', 'public host'],
    ['https://[::ffff:10.0.0.1]/', 'public host'],
    ['https://localhost/', 'public host'],
    ['https://LOCALHOST./', 'public host'],
    ['https://shop.localhost/', 'public host'],
    ['https://intranet/', 'public host'],
    ['https://printer.local/', 'public host'],
    ['https://db.internal/', 'public host'],
    [`https://shop.example/${'x'.repeat(1_000)}`, 'longer'],
    [`https://shop.example/${'ሱ'.repeat(300)}`, 'longer'],
  ])('refuses %s', (given, problem) => {
    expect(inProduction(given)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  it.each(['http://127.0.0.1:4000/hooks', 'http://receiver/hooks', 'http://[::1]:4000/'])(
    'accepts %s for development only',
    (url) => {
      expect(readWebhookUrl(url, { allowsPrivate: true })).toEqual({ ok: true, url });
      expect(inProduction(url).ok).toBe(false);
    },
  );

  it('says of another protocol what the environment takes', () => {
    const [other, url] = ['ftp://127.0.0.1/', 'http://127.0.0.1/'];
    expect(readWebhookUrl(other, { allowsPrivate: true })).toMatchObject({
      problem: 'must begin with https:// or http://',
    });
    expect(inProduction(url)).toMatchObject({ problem: 'must begin with https://' });
  });

  it('shows the host of an address without its path and query', () => {
    expect(webhookHost('https://shop.example:8443/secret?key=1')).toBe('shop.example:8443');
  });
});
