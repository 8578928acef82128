import { once } from 'node:events';
import { createServer } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import type { ProviderName } from '../domain/providers.ts';
import { listen } from '../runtime/process/health.ts';
import { africasTalkingRouter } from './africas-talking.ts';
import { type Books, createBooks } from './books.ts';
import { booksRouter } from './books-router.ts';
import {
  type CommonParts,
  createAnnouncer,
  createCallbackSender,
  createWaiting,
} from './callbacks.ts';
import { dtOneCallback, dtOnePath, dtOneRouter } from './dt-one.ts';
import { createFaults, type Faults } from './faults.ts';
import { faultsRouter, faultyProvider } from './faulty-provider.ts';
import { gsmaCallback } from './gsma/orders.ts';
import { gsmaPaths, gsmaRouter } from './gsma/router.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { mpesaCallback, mpesaRouter } from './mpesa.ts';
import type { SandboxAddresses } from './pages.ts';
import {
  type ReloadlyWebhook,
  reloadlyCallback,
  reloadlyRouter,
  reloadlyTokenPath,
} from './reloadly.ts';
import { type Smsc, smscPassword, startSmsc } from './smpp.ts';
import { statementsRouter } from './statements.ts';

interface SandboxOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** The port of the mail server; a free one by default. */
  readonly smtpPort?: number;
  /** The port of the SMSC; a free one by default. */
  readonly smppPort?: number;
  /** Where Africa's Talking posts delivery reports. */
  readonly smsReportUrl?: string | undefined;
  readonly host?: string;
  /** Factor of the delays of 3 s, 20 s and 5 min, and of "shortly after". */
  readonly delayScale?: number;
  /** The journal that keeps the books; without it they are in memory, and end with the process. */
  readonly booksFile?: string | undefined;
  /** Where Reloadly's callbacks go at first; without it there are none. */
  readonly reloadlyWebhook?: ReloadlyWebhook;
}

export interface Sandbox extends SandboxAddresses {
  readonly url: string;
  readonly books: Books;
  /** The faults that a tester has chosen. */
  readonly faults: Faults;
  /** From now on Africa's Talking posts delivery reports there. */
  postSmsReportsTo(url: string): void;
  /** Ends pending delays and closes every connection. */
  close(): Promise<void>;
}

/**
 * Starts the simulated providers. One port has Africa's Talking, GSMA mobile money, DT One,
 * Reloadly, their books, the phone and the mailbox. Two others have a mail server and an SMSC.
 * Rejects where a port is taken (EADDRINUSE).
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { port, smtpPort = 0, smppPort = 0, host = '127.0.0.1', delayScale = 1 } = options;
  const books = createBooks(options.booksFile);
  const waiting = createWaiting(delayScale);
  const faults = createFaults();
  const server = createServer();
  // A test that exhausts the file descriptors of the process only loses some connections.
  const boundPort = await listen(server, { host, port }, () => {});
  const mailServer = await startMailServer(books, { port: smtpPort, host }).catch((error) => {
    server.close();
    throw error;
  });
  const smsc = await startSmsc({ books, waiting, faults }, { port: smppPort, host }).catch(
    (error) => {
      server.close();
      void mailServer.close();
      throw error;
    },
  );

  const url = urlOf(host, boundPort);
  // In the order of the first page.
  const addresses = {
    smsUrl: `${url}/africas-talking`,
    smppUrl: smppUrlOf(url, smsc),
    smtpUrl: smtpUrlOf(url, mailServer),
    mobileMoneyUrl: `${url}/gsma${gsmaPaths.api}`,
    mobileMoneyTokenUrl: `${url}/gsma${gsmaPaths.token}`,
    mpesaUrl: `${url}/mpesa`,
    airtimeUrl: `${url}/dt-one${dtOnePath}`,
    reloadlyUrl: `${url}/reloadly`,
    reloadlyTokenUrl: `${url}/reloadly${reloadlyTokenPath}`,
  };
  const parts = partsOf({ books, waiting, faults }, options);
  server.on('request', application(parts, addresses).callback());
  return {
    url,
    ...addresses,
    books,
    faults,
    postSmsReportsTo(to) {
      parts.smsReports.url = to;
    },
    async close() {
      waiting.end();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, mailServer.close(), smsc.close()]);
      books.close();
    },
  };
}

type Parts = ReturnType<typeof partsOf>;

/** The parts of the simulated providers. */
function partsOf(common: CommonParts, { smsReportUrl, reloadlyWebhook: target }: SandboxOptions) {
  const callbackParts = { sender: createCallbackSender(common.waiting), faults: common.faults };
  const reloadlyWebhook: { target: ReloadlyWebhook | undefined } = { target };
  const smsReports: { url: string | undefined } = { url: smsReportUrl };
  return {
    ...common,
    ...callbackParts,
    smsReports,
    reloadlyWebhook,
    announce: createAnnouncer(callbackParts, (taken, told, announced) => {
      const { target: webhook } = reloadlyWebhook;
      if (!('behaviour' in taken))
        return taken.provider === 'mpesa'
          ? mpesaCallback(taken, told, announced)
          : gsmaCallback(taken, told);
      if (taken.provider === 'dt-one') return dtOneCallback(taken, told);
      return webhook && reloadlyCallback(taken, told, webhook);
    }),
  };
}

function application(parts: Parts, addresses: SandboxAddresses): Koa {
  const { waiting, faults } = parts;
  const router = new Router();
  const mount = (provider: ProviderName, routes: Router) =>
    router.use(`/${provider}`, faultyProvider(faults, provider, waiting), routes.routes());
  mount('africas-talking', africasTalkingRouter(parts));
  mount('gsma', gsmaRouter(parts));
  mount('mpesa', mpesaRouter(parts));
  mount('dt-one', dtOneRouter(parts));
  mount('reloadly', reloadlyRouter(parts));
  router.use(faultsRouter(faults).routes());
  router.use(statementsRouter(parts.books).routes());
  router.use(booksRouter(parts, addresses).routes());

  const app = new Koa();
  // Errors of callers are answered; only errors of the sandbox are reported.
  app.on('error', (error: Error & { status?: number; code?: string }) => {
    if (error.status === undefined && error.code === undefined) process.emitWarning(error);
  });
  app.use(async (ctx, next) => {
    await next();
    if (ctx.status === 404 && ctx.body == null) {
      ctx.status = 404;
      ctx.body = { message: 'The sandbox has nothing under this path.' };
    }
  });
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}

/** The address for a browser on this machine. */
function urlOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** The mail server's address for SMTP_URL; it listens on the host of the others. */
const smtpUrlOf = (url: string, { port }: MailServer): string =>
  `smtp://${new URL(url).hostname}:${port}?tls=off`;

/** The SMSC's address for SMPP_URL. */
const smppUrlOf = (url: string, { port }: Smsc): string =>
  `smpp://sandbox:${smscPassword}@${new URL(url).hostname}:${port}`;
