import { html } from '../../../service/pages/html.ts'
import { dataTable } from '../components/data-table.ts'
import { badge } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { findFindings } from '../find-findings.ts'

const levels = {
  fine: badge('Fine', 'good'),
  warning: badge('Warning', 'bad'),
  problem: badge('Problem', 'bad'),
}

/** The findings of `latchkey doctor` that the running service can determine. */
export const healthRoute: ConsoleRoute = {
  path: '/console/health',
  show: async (request) =>
    presentConsole(request, {
      entry: 'health',
      heading: 'Health',
      lead: 'The state of this instance. latchkey doctor checks mail records, providers and packages, too.',
      body: html`<section>${dataTable({
        caption: 'Checks',
        columns: ['Level', 'About', 'Result', 'Remedy'],
        rows: (await findFindings(request)).map(({ level, about, message, remedy }) => [
          levels[level],
          about,
          message,
          remedy ?? null,
        ]),
        empty: '',
      })}</section>`,
    }),
}
