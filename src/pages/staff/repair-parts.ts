import { repairWorkflowId } from '../../../workflows/workflow-ids.ts';
import { type FoundCompany, findCompany } from '../../db/catalogue/companies.ts';
import type { Database } from '../../db/connection.ts';
import type { ShownRepair } from '../../db/repairs/repair-lists.ts';
import type { RepairRow } from '../../db/repairs/repairs.ts';
import { amountText, parseMoney } from '../../domain/money.ts';
import type { EndedBy } from '../../domain/providers.ts';
import { quoted } from '../../domain/refusals.ts';
import {
  type RepairState,
  readWaitingEnd,
  repairStateWords,
  waitingEnds,
} from '../../domain/repairs.ts';
import { plainWords } from '../../domain/staff.ts';
import type { Company, CompanyKind } from '../../domain/vouchers/voucher.ts';
import { type Html, type HtmlValue, html } from '../../rendering/html.ts';
import { findRepairKind } from '../../repairs/repair-kinds.ts';
import { workflowPage } from '../../runtime/process/temporal-ui.ts';
import { badge, type ShownState, table, textColumn, time } from '../layout/parts.ts';
import { type StaffRequest, SUPPORT_PATH } from '../page.ts';

export type CaseKind = 'voucher' | 'top-up';

/** The subject of a case. */
export interface SupportCaseName {
  readonly kind: CaseKind;
  readonly id: number;
}

/** The list of the cases that a person must settle. */
export const CASES_PATH = `${SUPPORT_PATH}/cases`;

/** The page on which one of them is settled. */
export const openCasePath = (id: number): string => `${CASES_PATH}/${id}`;

/** The page of a case. */
export const casePath = ({ kind, id }: SupportCaseName): string =>
  `${SUPPORT_PATH}/${kind === 'voucher' ? 'vouchers' : 'top-ups'}/${id}`;

/** The page of a company. */
export const companyPath = ({ kind, id }: Company): string => `${SUPPORT_PATH}/${kind}s/${id}`;

/** The page of a merchant's fee and payout account. */
export const termsPath = (merchantId: number): string =>
  `${companyPath({ kind: 'merchant', id: merchantId })}/terms`;

/** The page of a deposit of a partner. */
export const depositPath = (partnerId: number, reference: string): string =>
  `${companyPath({ kind: 'partner', id: partnerId })}/deposits/${encodeURIComponent(reference)}`;

/** The page of the prices of a partner's voucher. */
export const pricePath = (partnerId: number, denominationId: number): string =>
  `${companyPath({ kind: 'partner', id: partnerId })}/prices/${denominationId}`;

/** The name of a company, with a link to its page; text where the company is not known. */
export const companyLink = (
  kind: CompanyKind,
  id: number | null | undefined,
  name: string,
): HtmlValue => (id ? html`<a href="${companyPath({ kind, id })}">${name}</a>` : name);

const statusWords: Readonly<Record<FoundCompany['status'], ShownState>> = {
  ACTIVE: ['success', 'Active'],
  SUSPENDED: ['danger', 'Suspended'],
  DEACTIVATED: ['danger', 'Deactivated'],
  DELETED: ['danger', 'Deleted'],
};

export const companyBadge = ({ status }: FoundCompany): Html => badge(...statusWords[status]);

/** The company of a case, with a link to its page, and with its state where it is not active. */
export async function companyOfCase(database: Database, company: Company): Promise<HtmlValue> {
  const found = await findCompany(database, company);
  if (!found) return '–';
  const link = companyLink(found.kind, found.id, found.name);
  return found.status === 'ACTIVE' ? link : html`${link} ${companyBadge(found)}`;
}

export const REPAIRS_PATH = `${SUPPORT_PATH}/repairs`;

/** The page of one repair. */
export const repairPath = (id: number): string => `${REPAIRS_PATH}/${id}`;

/** The id of a workflow, with a link to its page where there is a UI of Temporal. */
export function workflowLink({ services }: StaffRequest, workflowId: string): Html {
  const page = workflowPage(services.settings.temporal, workflowId);
  const name = html`<code>${workflowId}</code>`;
  return page === undefined
    ? name
    : html`<a href="${page}" target="_blank" rel="noreferrer">${name}</a>`;
}

const tones: Readonly<Record<RepairState, ShownState[0]>> = {
  ASKED: 'warning',
  READY: 'plain',
  RUNNING: 'plain',
  DONE: 'success',
  REFUSED: 'danger',
  EXPIRED: 'danger',
};

/** How a repair is shown: one colour for its badge and for what came of it. */
export function shownState(row: Pick<RepairRow, 'state' | 'result'>): ShownState {
  const ended = readWaitingEnd(row)?.end;
  if (ended === undefined) return [tones[row.state], repairStateWords[row.state]];
  return [ended === 'WITHDRAWN' ? 'plain' : 'danger', waitingEnds[ended]];
}

export const repairBadge = (row: RepairRow): Html => badge(...shownState(row));

export const repairTitle = ({ kind }: RepairRow): string => findRepairKind(kind)?.title ?? kind;

/** Who asked: a person of the service, or somebody on the command line. */
export const askerOf = ({ asker, asked_by }: ShownRepair): string => asker ?? asked_by;

export const confirmerOf = ({ confirmer, confirmed_by }: ShownRepair): string | null =>
  confirmer ?? confirmed_by;

/** The subject by the name that people know. */
export const subjectName = ({
  subject_kind,
  subject_id,
  serialNumber,
  ...row
}: ShownRepair): string => {
  if (subject_kind === 'voucher') return `voucher ${serialNumber ?? subject_id}`;
  if (subject_kind === 'redemption')
    return `redemption ${row.redemptionReference ?? subject_id} of voucher ${serialNumber}`;
  return subject_kind === 'partner'
    ? `partner ${row.partner ?? subject_id}`
    : `${subject_kind} ${subject_id}`;
};

/** The case that a repair is about; undefined for one of a wallet. */
export function caseOfRepair({ topup_id, voucher_id }: ShownRepair): SupportCaseName | undefined {
  if (topup_id !== null) return { kind: 'top-up', id: topup_id };
  return voucher_id === null ? undefined : { kind: 'voucher', id: voucher_id };
}

/** The subject, with a link to its case where there is a page. */
export function subjectOfRepair(row: ShownRepair): HtmlValue {
  const about = caseOfRepair(row);
  if (row.subject_kind === 'case')
    return html`<a href="${openCasePath(Number(row.subject_id))}">${subjectName(row)}</a>`;
  if (row.subject_kind === 'deposit' && row.company_id)
    return html`<a href="${depositPath(row.company_id, row.subject_id)}">${subjectName(row)}</a>`;
  if (!about && row.company_kind)
    return companyLink(row.company_kind, row.company_id, subjectName(row));
  return about ? html`<a href="${casePath(about)}">${subjectName(row)}</a>` : subjectName(row);
}

export const amountOf = ({ amount }: RepairRow): string =>
  parseMoney(amount) === 0n ? 'No value' : `ETB ${amountText(amount)}`;

export const workflowOf = (row: RepairRow): string => repairWorkflowId(row.id, row.operation_id);

/** Repairs, newest first. */
export const repairTable = (caption: string, rows: readonly ShownRepair[], none?: Html): Html =>
  table(
    caption,
    rows,
    [
      textColumn(
        'Repair',
        (row) => html`<a href="${repairPath(row.id)}">${row.id}: ${repairTitle(row)}</a>`,
        'head',
      ),
      textColumn('About', subjectOfRepair),
      textColumn('Amount', amountOf),
      textColumn('Asked', (row) => html`${time(row.asked_at)} by ${askerOf(row)}`),
      textColumn('State', repairBadge),
    ],
    none,
  );

/**
 * A provider's message in quotation marks, after its meaning; messages of the service and its staff
 * have none.
 */
export function wordsOf(words: string, by: EndedBy | null = null): Html {
  if (by === 'service' || by === 'staff') return html`: ${quoted(words)}`;
  const said = html`“<span lang="en">${quoted(words)}</span>”`;
  const meaning = plainWords(words);
  return meaning === undefined ? html`: ${said}` : html`: ${meaning} (${said})`;
}
