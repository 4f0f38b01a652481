import { html, type Markup } from '../../../../service/pages/html.ts'
import { type ConsoleRequest, consolePath } from '../../console-request.ts'
import { auditTable } from '../audit.ts'
import type { UserDetail } from './read-user.ts'

/** The newest audit entries about a user, with links to all of them. */
export function history(request: ConsoleRequest, { user: { id }, by, about }: UserDetail): Markup {
  const { t } = request
  const audit = (name: 'actor' | 'user') => consolePath(request, '/console/audit', { [name]: id })
  return html`<section><h2>${t('nav.audit')}</h2>
${auditTable(request, t('user.actsOn'), about)}
${auditTable(request, t('user.actsOf'), by)}
<ul class="links"><li><a href="${audit('user')}">${t('user.allActsOn')}</a></li>
<li><a href="${audit('actor')}">${t('user.allActsOf')}</a></li>
<li><a href="${consolePath(request, '/console/decisions', { user: id })}">${t('user.decisions')}</a></li></ul></section>`
}
