import type { Context } from 'koa';
import type { Database } from '../db/connection.ts';
import { readServiceState } from '../db/overview.ts';
import { listProviderStates } from '../db/providers.ts';
import type { FenceWatch } from '../db/recovery.ts';
import {
  type Outage,
  type PartCondition,
  type PartStatus,
  type StatusFacts,
  statusAges,
  statusOf,
  statusParts,
} from '../domain/service-status.ts';
import type { PagesSurface } from '../http/app.ts';
import { setPageHeaders, titleOfRefusal } from '../http/headers.ts';
import type { Services } from '../http/services.ts';
import { type Html, html } from '../rendering/html.ts';
import { createHealth, type HealthChecks } from '../runtime/process/health.ts';
import { forReader } from './language/language.ts';
import { offsetText, timeZone } from './language/time-zone.ts';
import { assets } from './layout/assets.ts';
import { headOf } from './layout/layout.ts';
import { badge, table, textColumn, time } from './layout/parts.ts';

const STATUS_PATH = '/status';
/** Readers in this time share one look at the servers. */
const FRESH_SECONDS = 5;
const REFRESH_SECONDS = 30;

/** How each part of the service works, as it was seen at a time. */
interface ServiceStatus {
  readonly checkedAt: Date;
  readonly parts: readonly PartStatus[];
}

/**
 * Reads the state of the service. Frequent readers cost nothing, and each look has a time limit. An outage
 * counts from the first look of this process that has noticed it.
 */
export function createStatusReader(
  {
    database,
    fence,
  }: { readonly database: Database; readonly fence: Pick<FenceWatch, 'isFenced'> },
  temporal: HealthChecks[string],
  freshMs = FRESH_SECONDS * 1_000,
): () => Promise<ServiceStatus> {
  const outages: Partial<Record<Outage, Date>> = {};
  let seen: Pick<StatusFacts, 'holds' | 'done' | 'waiting' | 'providers'> | undefined;
  let last: { readonly report: object; readonly status: ServiceStatus } | undefined;
  const health = createHealth(
    {
      async database() {
        const { holds, done, waiting } = await readServiceState(database, statusAges);
        seen = { holds, done, waiting, providers: await listProviderStates(database) };
      },
      temporal,
    },
    { freshMs },
  );

  function note(outage: Outage, isOut: boolean, now: Date): void {
    if (!isOut) delete outages[outage];
    else outages[outage] ??= now;
  }

  return async () => {
    const report = await health.read();
    if (last?.report === report) return last.status;
    const { checks } = report;
    const now = new Date();
    const isRead = checks.database?.status === 'up';
    note('database', !isRead, now);
    note('temporal', checks.temporal?.status !== 'up', now);
    note('recovery', isRead && fence.isFenced(), now);
    note('workers', isRead && seen?.providers.length === 0, now);
    const facts = {
      now,
      outages,
      ...(seen ?? { holds: [], done: [], waiting: [], providers: [] }),
    };
    const status = { checkedAt: now, parts: statusOf(facts) };
    last = { report, status };
    return status;
  };
}

const tones = {
  working: 'success',
  delayed: 'warning',
  'not working': 'danger',
} as const satisfies Record<PartCondition, string>;

const headline = (parts: readonly PartStatus[]): string => {
  if (parts.some(({ condition }) => condition === 'not working'))
    return 'Parts of the service do not work';
  if (parts.some(({ condition }) => condition === 'delayed'))
    return 'Parts of the service are delayed';
  return 'Every part of the service works';
};

const page = (title: string, content: Html): Html => html`<!doctype html>
<html lang="en">
<head>
${headOf(html`${title} · Voucher service`)}
</head>
<body class="signed-out">
<header><div class="top"><a class="brand" href="${STATUS_PATH}"><img src="${assets.logo.path}" alt="" width="32" height="32">
<span>Status of the voucher service</span></a></div></header>
<div class="frame"><main id="main"><h1>${title}</h1>${content}</main></div>
</body>
</html>
`;

const statusPage = ({ checkedAt, parts }: ServiceStatus): Html =>
  page(
    headline(parts),
    html`<div class="card">${table('Parts of the service', parts, [
      textColumn('Part', ({ part }) => statusParts[part]),
      textColumn('State', ({ condition }) => badge(tones[condition], condition)),
      textColumn('Since', ({ since }) => (since ? time(since) : '–')),
    ])}</div>
<p class="quiet">Seen at ${time(checkedAt)}. Times are in ${timeZone().replaceAll('_', ' ')} (UTC${offsetText(checkedAt)}). The page refreshes by itself.</p>`,
  );

/** The same for programs. */
const statusData = ({ checkedAt, parts }: ServiceStatus) => ({
  checkedAt: checkedAt.toISOString(),
  parts: parts.map(({ part, condition, since }) => ({
    part,
    name: statusParts[part],
    state: condition,
    since: since?.toISOString() ?? null,
  })),
});

/** The public page at /status: HTML for people, JSON for programs, without secrets, amounts or names. */
export function createStatusPage(
  { settings }: Pick<Services, 'settings'>,
  read: () => Promise<ServiceStatus>,
): PagesSurface {
  const isSecure = settings.http.publicUrl.startsWith('https:');
  const reader = { language: 'en', zone: settings.market.marketTimeZone } as const;

  function write(context: Context, status: ServiceStatus): void {
    context.status = 200;
    context.state.statusCode = 200;
    context.set('Cache-Control', `public, max-age=${FRESH_SECONDS}`);
    context.vary('Accept');
    if (context.accepts('json', 'html') !== 'html') {
      context.body = statusData(status);
      return;
    }
    context.set('Refresh', String(REFRESH_SECONDS));
    context.type = 'text/html; charset=utf-8';
    context.body = forReader(reader, () => statusPage(status).toString());
  }

  return {
    basePath: STATUS_PATH,
    async middleware(context, next) {
      setPageHeaders(context, isSecure);
      if (context.path !== STATUS_PATH || !['GET', 'HEAD'].includes(context.method)) return next();
      write(context, await read());
    },
    methodsOf: (path) => (path === STATUS_PATH ? ['GET', 'HEAD'] : []),
    answerRefusal(context, { reason }) {
      const title = titleOfRefusal(context, reason);
      context.type = 'text/html; charset=utf-8';
      context.body = page(
        title,
        html`<p><a href="${STATUS_PATH}">The status of the service</a></p>`,
      ).toString();
    },
  };
}
