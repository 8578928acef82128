import { type FoundCompany, findCompany } from '../../../db/catalogue/companies.ts';
import type { Database } from '../../../db/connection.ts';
import type { RowPage } from '../../../db/row-page.ts';
import type { StaffNeed } from '../../../domain/staff.ts';
import type { CompanyKind } from '../../../domain/vouchers/voucher.ts';
import { type Html, type HtmlValue, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import { pageNumber, paging } from '../../layout/paging.ts';
import {
  emptyState,
  message,
  type TableColumn,
  table,
  type WrongFields,
} from '../../layout/parts.ts';
import { idOf, type PageAnswer, type StaffPage, type StaffRequest, support } from '../../page.ts';
import { changePages, type FormChange } from '../../session/changes.ts';
import type { RefusedForm } from '../repair-form.ts';
import { companyPath } from '../repair-parts.ts';

const bothKinds = ['partner', 'merchant'] as const satisfies readonly CompanyKind[];

interface CompanyPage {
  /** Below the page of the company. */
  readonly path: string;
  /** Both by default. */
  readonly kinds?: readonly CompanyKind[];
  readonly refreshes?: true;
  handle(request: StaffRequest, company: FoundCompany): PageAnswer | Promise<PageAnswer>;
}

/** A page about a company: one for partners, and one for merchants. */
export const companyPages = ({
  path,
  kinds = bothKinds,
  refreshes,
  handle,
}: CompanyPage): readonly StaffPage[] =>
  kinds.map((kind) =>
    support.page({
      path: `/${kind}s/:id${path}`,
      ...(refreshes && { refreshes }),
      needs: 'look',
      handle: async (request) => {
        const company = await findCompany(request.services.database, { kind, id: idOf(request) });
        return company ? handle(request, company) : problems.notFound;
      },
    }),
  );

/** The forms of a change of a company, after a recent proof of the person. */
export const companyForms = <Subject extends { readonly company: FoundCompany }, Value, Result>({
  path,
  kinds = bothKinds,
  find,
  again,
  ...change
}: Omit<
  FormChange<StaffRequest, StaffNeed, Subject, Value, Result>,
  'kind' | 'employer' | 'find' | 'again'
> &
  Pick<CompanyPage, 'kinds'> & {
    /** The subject in the company. A deleted company is only looked at. */
    find(
      request: StaffRequest,
      company: FoundCompany,
      database: Database,
    ): Promise<Subject | undefined>;
    /** The page of the company with the form, and with its problems. */
    again?(request: StaffRequest, company: FoundCompany, wrong: WrongFields): Promise<PageAnswer>;
  }): readonly StaffPage[] =>
  kinds.flatMap((kind) => {
    const nameOf = (request: StaffRequest) => ({ kind, id: idOf(request) });
    const companyOf = (request: StaffRequest) =>
      findCompany(request.services.database, nameOf(request));
    return changePages(support, {
      ...change,
      path: `/${kind}s/:id${path}`,
      employer: nameOf,
      async find(request, database) {
        const company = await findCompany(database, nameOf(request));
        return company && company.status !== 'DELETED'
          ? find(request, company, database)
          : undefined;
      },
      async again(request, wrong) {
        const company = await companyOf(request);
        return company && again ? again(request, company, wrong) : problems.notFound;
      },
    });
  });

/** A page below that of a company. */
export const partPage = (
  company: FoundCompany,
  answer: {
    readonly title: string;
    readonly content: Html;
    readonly status?: number | undefined;
    readonly refreshSeconds?: number | undefined;
  },
): PageAnswer => ({
  kind: 'page',
  ...answer,
  title: `${answer.title}: ${company.name}`,
  content: html`<p><a href="${companyPath(company)}">${company.name}</a></p>
<h1>${answer.title}</h1>
${answer.content}`,
});

/** A list of rows of a company, on a page of its own. */
interface PartOf<Row> {
  /** Below the page of the company. */
  readonly path: string;
  readonly title: string;
  /** Both by default. */
  readonly kinds?: readonly CompanyKind[];
  /** Shown while there are no rows. */
  readonly nothing: string;
  read(request: StaffRequest, company: FoundCompany, page: RowPage): Promise<readonly Row[]>;
  columns(request: StaffRequest, company: FoundCompany): readonly TableColumn<Row>[];
  /** Above the rows. */
  intro?(request: StaffRequest, company: FoundCompany): HtmlValue | Promise<HtmlValue>;
  /** Below the rows. */
  further?(
    request: StaffRequest,
    company: FoundCompany,
    refused: RefusedForm | undefined,
  ): HtmlValue | Promise<HtmlValue>;
  /** Whether the page loads itself again. */
  changesSoon?(rows: readonly Row[]): boolean;
}

export interface Part {
  readonly path: string;
  readonly title: string;
  readonly kinds: readonly CompanyKind[];
  /** Its page; `refused` where nothing came of a form. */
  show(request: StaffRequest, company: FoundCompany, refused?: RefusedForm): Promise<PageAnswer>;
  readonly pages: readonly StaffPage[];
}

const ROWS = 50;
const REFRESH_SECONDS = 2;

/** Declares a list of rows of a company. */
export const declarePart = <Row>({
  path,
  title,
  kinds = bothKinds,
  nothing,
  read,
  columns,
  intro,
  further,
  changesSoon,
}: PartOf<Row>): Part => {
  const show: Part['show'] = async (request, company, refused) => {
    const page = pageNumber(request.query);
    if (page === undefined) return problems.notFound;
    const offset = (page - 1) * ROWS;
    const found = await read(request, company, { limit: ROWS + 1, offset });
    if (page > 1 && found.length === 0) return problems.notFound;
    const rows = found.slice(0, ROWS);
    return partPage(company, {
      title,
      status: refused && 409,
      ...(changesSoon?.(rows) && { refreshSeconds: REFRESH_SECONDS }),
      content: html`${refused && message('danger', html`${refused.words}`)}
${await intro?.(request, company)}
<section class="card">${table(title, rows, columns(request, company), emptyState('None', nothing))}
${
  offset + found.length > ROWS &&
  paging({
    path: companyPath(company) + path,
    values: {},
    page,
    limit: ROWS,
    totalItems: offset + found.length,
    isAtLeast: found.length > ROWS,
  })
}
${await further?.(request, company, refused)}</section>`,
    });
  };
  const pages = companyPages({
    path,
    kinds,
    ...(changesSoon && { refreshes: true }),
    handle: show,
  });
  return { path, title, kinds, show, pages };
};
