import { html } from '../../../service/pages/html.ts'
import { type ActivityKind, type DayOfActivity, findActivity } from '../activity.sql.ts'
import { barChart } from '../components/chart.ts'
import { dataTable } from '../components/data-table.ts'
import { count } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import type { ConsoleRoute } from '../console-route.ts'

const days = 30

const labels: Readonly<Record<ActivityKind, string>> = {
  sign_ins: 'Sign-ins',
  sign_ups: 'Sign-ups',
  failures: 'Failed sign-ins',
  messages: 'Messages',
  active_users: 'Active users',
}

/** The activity of the last days. Counts of users are estimates where exact ones would be slow. */
export const overviewRoute: ConsoleRoute = {
  path: '/console',
  show: async (request) => {
    const { deps, admin, options } = request
    const [activity, users] = await Promise.all([
      findActivity(deps.database.sql, deps.clock.now(), days),
      admin.listUsers({ limit: 1, count: 'estimated' }, options),
    ])
    const kinds = Object.keys(labels) as ActivityKind[]
    return presentConsole(request, {
      entry: 'overview',
      heading: 'Overview',
      lead: `The last ${days} days in UTC. The counts are updated every five minutes; active users every hour.`,
      body: html`<ul class="cards">
<li><span class="label">Users (estimate)</span><span class="value">${count(users.estimatedCount ?? 0)}</span></li>
${kinds.map(
  (
    kind,
  ) => html`<li><span class="label">${labels[kind]} today</span><span class="value">${count(activity.at(-1)?.[kind] ?? 0)}</span>
${barChart(activity.map((day) => ({ label: day.day, value: day[kind] })))}</li>`,
)}</ul>
<section><h2>By day</h2>
${dataTable({
  caption: 'Events by day',
  columns: ['Day', ...kinds.map((kind) => labels[kind])],
  rows: activity
    .toReversed()
    .map((day: DayOfActivity) => [day.day, ...kinds.map((kind) => day[kind])]),
  empty: 'No events yet.',
})}</section>`,
    })
  },
}
