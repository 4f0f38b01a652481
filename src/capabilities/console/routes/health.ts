import type { Answer } from '../../../platform/http/answer.ts'
import type { Finding } from '../../../service/doctor/finding.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { linkButton } from '../../pages/components/button.ts'
import { dataTable } from '../components/data-table.ts'
import { badge, english, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { type ConsoleRequest, consolePath } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'
import { findFindings } from '../find-findings.ts'

const path = '/console/health'

/**
 * The findings of `latchkey doctor` about the running service. Those that need connections to other
 * servers are determined on request.
 */
export const healthRoute: ConsoleRoute = {
  path,
  show: async (request): Promise<Answer> => {
    const { t, query } = request
    const findings = await findFindings(request)
    const outside = query.get('check') === 'outside' ? await request.checkOutside() : null
    return presentConsole(request, {
      entry: 'health',
      heading: t('nav.health'),
      lead: t('health.lead'),
      tools: linkButton(
        t('health.checkOutside'),
        consolePath(request, path, { check: 'outside' }),
        'secondary',
      ),
      body: html`<section><h2>${t('health.instance')}</h2>${table(request, t('health.instance'), findings)}</section>
${
  outside &&
  html`<section><h2>${t('health.outside')}</h2>
<p class="detail">${t('health.checkedAt')} ${time(outside.at)}</p>
${table(request, t('health.outside'), outside.findings)}</section>`
}`,
    })
  },
}

const table = ({ t }: ConsoleRequest, caption: string, findings: readonly Finding[]): Markup =>
  dataTable({
    caption,
    columns: [t('health.level'), t('health.about'), t('health.result'), t('health.remedy')],
    rows: findings.map(({ level, about, message, remedy }) => [
      badge(t(`level.${level}`), level === 'fine' ? 'good' : 'bad'),
      english(about),
      english(message),
      remedy === undefined ? null : english(remedy),
    ]),
    empty: t('health.noneOutside'),
  })
