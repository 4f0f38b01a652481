import type { ExplainedDecision } from '../../../accounts/decisions/decisions.sql.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { isRequestId } from '../../../platform/http/common-headers.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import { html } from '../../../service/pages/html.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { english, link, mono, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { type ConsoleRequest, consolePath } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/decisions'

/** The number of the newest audit entries of a user whose requests are explained. */
const maxEntries = 50

/** The reasons for responses: of one request, or of the latest requests about a user. */
export const decisionsRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { query, t } = request
    const requestId = query.get('request')?.trim()
    const userId = query.get('user')?.trim()
    const decisions = await find(request, requestId, userId)
    return presentConsole(request, {
      entry: 'decisions',
      heading: t('nav.decisions'),
      lead: t('decisions.lead'),
      body: html`<section>
${filterForm(
  request,
  path,
  t('nav.decisions'),
  [
    { name: 'request', label: t('decisions.requestId'), hint: t('decisions.requestHint') },
    { name: 'user', label: t('decisions.userId'), hint: t('decisions.userHint') },
  ],
  t('decisions.explain'),
)}
${
  decisions &&
  dataTable({
    caption: t('decisions.caption'),
    columns: [
      t('column.time'),
      t('decisions.endpoint'),
      t('column.status'),
      t('column.kind'),
      t('decisions.rule'),
      t('decisions.meaning'),
      t('column.request'),
    ],
    rows: decisions.map((one) => [
      time(one.decidedAt),
      mono(one.endpoint),
      one.status,
      one.kind,
      mono(one.rule),
      one.meaning && english(one.meaning),
      link(consolePath(request, path, { request: one.requestId }), one.requestId),
    ]),
    empty: t('decisions.none'),
  })
}</section>`,
    })
  },
}

async function find(
  request: ConsoleRequest,
  requestId: string | undefined,
  userId: string | undefined,
): Promise<ExplainedDecision[] | null> {
  const { admin, options } = request
  if (requestId) return admin.explain(requestId, options)
  if (!userId) return null
  if (!isUuid(userId)) throw validationFailed('user: has to be a UUID')
  const lists = await Promise.all([
    admin.listAudit({ userId, limit: maxEntries }, options),
    admin.listAudit({ actorId: userId, limit: maxEntries }, options),
  ])
  const ids = lists.flatMap(({ entries }) => entries.flatMap((entry) => entry.requestId ?? []))
  // Code may have named its calls by texts that no request has.
  return admin.explain(ids.filter(isRequestId), options)
}
