import { setTimeZone } from '../../../db/portal/time-zones.ts';
import { type Html, html } from '../../../rendering/html.ts';
import { sentence } from '../../language/language.ts';
import { postForm, selectField } from '../../layout/parts.ts';
import { type AccountPage, type AccountRequest, PORTAL_PATH } from '../../page.ts';
import { problems } from '../../problem-page.ts';
import { timeZone } from '../../time-zone.ts';

const zones = Intl.supportedValuesOf('timeZone');

/** The choice of the time zone, on the page of the account. */
export const timeZoneCard = ({ formToken }: AccountRequest): Html => {
  const chosen = timeZone();
  const offered = zones.includes(chosen) ? zones : [chosen, ...zones];
  return html`<section class="card"><h2>Time zone</h2>
<p>All times and days in the portal are in this zone.</p>
${postForm(
  { action: `${PORTAL_PATH}/account/time-zone`, formToken },
  html`${selectField({
    name: 'time-zone',
    label: 'Time zone',
    value: chosen,
    options: offered.map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
  })}
<button class="secondary">Change the time zone</button>`,
)}</section>`;
};

/** Changes the zone of the person's pages. */
export const changeTimeZone: AccountPage = {
  method: 'POST',
  path: '/account/time-zone',
  access: 'account',
  needs: 'own',
  confirmation: 'none',
  async handle({ services, session, form }) {
    const zone = form.text('time-zone');
    if (!zones.includes(zone)) return problems.invalid;
    await setTimeZone(services.database, session.accountId, zone);
    return {
      kind: 'redirect',
      to: `${PORTAL_PATH}/account`,
      notice: sentence('Times are in {1} now.', zone.replaceAll('_', ' ')),
    };
  },
};
