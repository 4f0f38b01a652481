import { html, type Markup } from '../../../service/pages/html.ts'
import { type ActivityKind, type DayOfActivity, findActivity } from '../activity.sql.ts'
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
    .map((day: DayOfActivity) => [
      html`<span class="nowrap">${day.day}</span>`,
      ...kinds.map((kind) => day[kind]),
    ]),
  empty: t('overview.none'),
})}</section>`,
    })
  },
}

interface Point {
  label: string
  value: number
}

const width = 300
const height = 48

/** A chart of bars, made on the server. Its text alternative is the table below the charts. */
function barChart(points: readonly Point[]): Markup {
  const max = Math.max(1, ...points.map(({ value }) => value))
  const step = width / Math.max(1, points.length)
  const bars = points.map(({ label, value }, at) => {
    const size = value === 0 ? 0 : Math.max(1, (value / max) * height)
    return html`<rect x="${(at * step).toFixed(2)}" y="${(height - size).toFixed(2)}" width="${(step * 0.8).toFixed(2)}" height="${size.toFixed(2)}"><title>${label}: ${value}</title></rect>`
  })
  return html`<svg class="chart" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" fill="currentColor" aria-hidden="true" focusable="false">${bars}</svg>`
}
