import { type OutboxStatus, outboxStatuses } from '../../../delivery/outbox/message.ts'
import type { OutboxRecord } from '../../../delivery/outbox/outbox-record.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { hidden } from '../../pages/components/field.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { pager } from '../components/pager.ts'
import { badge, english, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { actionForm, type ConsoleRequest, done } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/outbox'
const perPage = 50

/**
 * The messages of the outbox. Their content is not shown: it contains links and codes that sign in.
 */
export const outboxRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { outbox, query, t } = request
    const status = query.get('status') || undefined
    const before = query.get('before') || undefined
    const found = await outbox.list({
      status: status as OutboxStatus | undefined,
      before,
      limit: perPage + 1,
    })
    const messages = found.slice(0, perPage)
    const last = found.length > perPage ? messages.at(-1) : undefined
    return presentConsole(request, {
      entry: 'outbox',
      heading: t('nav.outbox'),
      lead: t('outbox.lead'),
      body: html`<section>
${filterForm(
  request,
  path,
  t('nav.outbox'),
  [
    {
      name: 'status',
      label: t('column.status'),
      choices: [
        ['', t('form.all')],
        ...outboxStatuses.map((one) => [one, t(`message.${one}`)] as const),
      ],
    },
  ],
  t('form.filter'),
)}
${dataTable({
  caption: t('outbox.caption'),
  columns: [
    t('outbox.stored'),
    t('column.kind'),
    t('outbox.recipient'),
    t('outbox.channel'),
    t('column.status'),
    t('outbox.attempts'),
    t('outbox.next'),
    t('outbox.error'),
    t('column.action'),
  ],
  rows: messages.map((message) => [
    time(message.createdAt),
    message.kind,
    message.recipient,
    message.channel,
    badge(t(`message.${message.status}`), message.status === 'failed' ? 'bad' : 'soft'),
    message.attempts,
    time(message.nextAttemptAt),
    message.lastError && english(message.lastError),
    actionsOf(request, message),
  ]),
  empty: t('outbox.none'),
})}
${pager(request, path, last ? { name: 'before', value: last.id } : null, 'before')}
</section>`,
    })
  },
  actions: {
    retry: async (request, form) => {
      const { outbox, options, t } = request
      await outbox.retry(form.get('id') ?? '', options)
      return done(request, path, t('outbox.retried'))
    },
    discard: async (request, form) => {
      const { outbox, options, t } = request
      await outbox.discard(form.get('id') ?? '', options)
      return done(request, path, t('outbox.discarded'))
    },
  },
}

function actionsOf(request: ConsoleRequest, { id, status }: OutboxRecord): Markup | null {
  if (status !== 'waiting' && status !== 'failed') return null
  const { t } = request
  const one = (action: string, label: string, style: 'secondary' | 'danger') =>
    actionForm(request, { path, action, body: html`${hidden('id', id)}${button(label, style)}` })
  return html`<div class="actions">${one('retry', t('outbox.retry'), 'secondary')} ${one('discard', t('outbox.discard'), 'danger')}</div>`
}
