import { html } from '../../../service/pages/html.ts'
import { type ActivityKind, type DayOfActivity, findActivity } from '../activity.sql.ts'
import { barChart } from '../components/chart.ts'
import { dataTable } from '../components/data-table.ts'
import { count } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import type { ConsoleRoute } from '../console-route.ts'

const days = 30

const kinds = [
  'sign_ins',
  'sign_ups',
  'failures',
  'messages',
  'active_users',
] as const satisfies readonly ActivityKind[]

/** The activity of the last days. Counts of users are estimates where exact ones would be slow. */
export const overviewRoute: ConsoleRoute = {
  path: '/console',
  show: async (request) => {
    const { deps, admin, options, t } = request
    const [activity, users] = await Promise.all([
      findActivity(deps.database.sql, deps.clock.now(), days),
      admin.listUsers({ limit: 1, count: 'estimated' }, options),
    ])
    return presentConsole(request, {
      entry: 'overview',
      heading: t('nav.overview'),
      lead: t('overview.lead', { days }),
      body: html`<ul class="cards">
<li><span class="label">${t('overview.users')}</span><span class="value">${count(request, users.estimatedCount ?? 0)}</span></li>
${kinds.map(
  (
    kind,
  ) => html`<li><span class="label">${t(`overview.today.${kind}`)}</span><span class="value">${count(request, activity.at(-1)?.[kind] ?? 0)}</span>
${barChart(activity.map((day) => ({ label: day.day, value: day[kind] })))}</li>`,
)}</ul>
<section><h2>${t('overview.byDay')}</h2>
${dataTable({
  caption: t('overview.caption'),
  columns: [t('overview.day'), ...kinds.map((kind) => t(`overview.${kind}`))],
  rows: activity
    .toReversed()
    .map((day: DayOfActivity) => [day.day, ...kinds.map((kind) => day[kind])]),
  empty: t('overview.none'),
})}</section>`,
    })
  },
}
