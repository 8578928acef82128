import { z } from 'zod';
import { listTopups as queryTopups } from '../db/topups.js';
import { refuse } from '../domain/errors.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import { listLinks, listMeta, listQuery } from '../http/list-query.js';
import { presentTopup, topupSchema } from './topup-view.js';

const DEFAULT_LIMIT = 20;

const dateField = z.iso
  .datetime({ offset: true, error: 'must be a time in ISO 8601, such as 2026-01-31T00:00:00Z' })
  .transform((text) => new Date(text));

/** Lists a partner's top-ups, newest first (beyond the specification). */
export const listTopups = endpoint({
  method: 'GET',
  path: '/topup-transactions',
  operation: 'list',
  summary: 'List top-ups',
  description:
    'Newest first, 20 a page, filtered by status, kind, time (from, to) and reference, ours or the ' +
    "provider's.",
  access: 'token',
  query: listQuery(DEFAULT_LIMIT).extend({
    status: topupSchema.shape.status.optional(),
    kind: topupSchema.shape.kind.optional(),
    from: dateField.optional(),
    to: dateField.optional(),
    reference: z.string().min(1).max(100).optional(),
  }),
  answer: z.array(topupSchema),
  reasons: ['page-not-found'],
  async handle({ services, company, query, path }) {
    const { page, limit, ...filter } = query;
    const { items, totalItems } = await queryTopups(
      services.database,
      company.id,
      { page, limit },
      filter,
    );
    const meta = listMeta({ page, limit }, totalItems, [['transactionId', 'DESC']]);
    if (items.length === 0 && page > 1) return refuse('page-not-found');
    return reply(items.map(presentTopup), {
      meta,
      links: listLinks(services.settings.publicUrl + path, meta),
      message: 'Top-ups',
    });
  },
});
