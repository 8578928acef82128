import { namesOfPartners } from '../../../db/cases/case-owner.ts';
import { formatGroupedAmount } from '../../../domain/money.ts';
import { field, selectField } from '../../../portal/layout/parts.ts';
import { type Html, html } from '../../../rendering/html.ts';
import type { RepairKind } from '../../../repairs/repair-kind.ts';
import { creditGoodwill, undoDeposit } from '../../../repairs/wallet-repairs.ts';
import type { StaffPage, StaffRequest } from '../../page.ts';
import { repairForm } from './repair-form.ts';

/** Repairs of wallets, which belong to no case: only operators ask for them. */
export const showWallets: StaffPage = {
  method: 'GET',
  path: '/wallets',
  access: 'staff',
  needs: 'operate',
  async handle(request) {
    const { database, settings } = request.services;
    const { confirmFrom } = settings.repairs;
    const partners = await namesOfPartners(database);
    return {
      kind: 'page',
      title: 'Wallets',
      content: html`<h1>Wallets</h1>
<p>What was asked for stands under Repairs. From ETB ${formatGroupedAmount(confirmFrom)} on, also together within 24
hours, another person must confirm it there.</p>
${cardOf(
  request,
  undoDeposit,
  field({
    name: 'subject',
    id: 'undo-deposit-subject',
    label: 'The reference of the deposit',
    hint: 'As the statement of the partner shows it, such as CBE-2026-0042.',
  }),
)}
${cardOf(
  request,
  creditGoodwill,
  selectField({
    name: 'subject',
    id: 'credit-goodwill-subject',
    label: 'The partner',
    value: '',
    options: [
      ['', 'Choose'],
      ...partners.map(({ id, name }) => [String(id), `${name} (${id})`] as const),
    ],
  }),
)}`,
    };
  },
};

const cardOf = (request: StaffRequest, kind: RepairKind, subject: Html): Html =>
  html`<section class="card"><h2>${kind.title}</h2><p>${kind.summary}</p>
<p class="hint">Possible ${kind.allowed.charAt(0).toLowerCase() + kind.allowed.slice(1)}.</p>
${repairForm(request, kind, { key: 'wallets', subject, button: kind.button })}</section>`;
