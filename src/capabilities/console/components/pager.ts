import { html, type Markup } from '../../../service/pages/html.ts'
import { type ConsoleRequest, consolePath } from '../console-request.ts'

/**
 * Links to the next page of a list and back to its beginning. Their URLs contain the filters, so
 * they can be shared.
 *
 * @param next the parameter of the next page, and its value; null on the last page.
 */
export function pager(
  request: ConsoleRequest,
  path: string,
  next: { name: string; value: string } | null,
  name = next?.name ?? 'cursor',
): Markup | null {
  const { t } = request
  const parameters = Object.fromEntries(request.query)
  const { [name]: position, ...filters } = parameters
  if (next === null && position === undefined) return null
  return html`<nav class="pager" aria-label="${t('pager.label')}">
${position !== undefined && html`<a href="${consolePath(request, path, filters)}">${t('pager.first')}</a>`}
${next && html`<a rel="next" href="${consolePath(request, path, { ...filters, [next.name]: next.value })}">${t('pager.next')}</a>`}
</nav>`
}
