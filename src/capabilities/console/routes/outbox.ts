import { recordAlone } from '../../../accounts/acts/record-act.ts'
import { type OutboxStatus, outboxStatuses } from '../../../delivery/outbox/message.ts'
import type { OutboxRecord } from '../../../delivery/outbox/outbox-record.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { button } from '../../pages/components/button.ts'
import { hidden } from '../../pages/components/field.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { pager } from '../components/pager.ts'
import { badge, time } from '../components/values.ts'
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
    const { outbox, query } = request
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
      heading: 'Outbox',
      lead: 'Pending messages, and those sent or given up in the last week.',
      body: html`<section>
${filterForm(
  request,
  path,
  'Outbox',
  [
    {
      name: 'status',
      label: 'Status',
      choices: [['', 'All'], ...outboxStatuses.map((one) => [one, one] as const)],
    },
  ],
  'Filter',
)}
${dataTable({
  caption: 'Messages, the newest first',
  columns: [
    'Stored',
    'Kind',
    'Recipient',
    'Channel',
    'Status',
    'Attempts',
    'Next attempt',
    'Error',
    'Actions',
  ],
  rows: messages.map((message) => [
    time(message.createdAt),
    message.kind,
    message.recipient,
    message.channel,
    badge(message.status, message.status === 'failed' ? 'bad' : 'soft'),
    message.attempts,
    time(message.nextAttemptAt),
    message.lastError,
    actionsOf(request, message),
  ]),
  empty: 'No message.',
})}
${pager(request, path, last ? { name: 'before', value: last.id } : null, 'before')}
</section>`,
    })
  },
  actions: {
    retry: async (request, form) => {
      await request.outbox.retry(form.get('id') ?? '')
      await record(request, 'message_retried')
      return done(request, path, 'The message will be sent within seconds.')
    },
    discard: async (request, form) => {
      await request.outbox.discard(form.get('id') ?? '')
      await record(request, 'message_discarded')
      return done(request, path, 'The message was discarded.')
    },
  },
}

const record = (
  { page, user }: ConsoleRequest,
  action: 'message_retried' | 'message_discarded',
): Promise<void> => recordAlone(page.ctx, { action, actorId: user.id, actorRole: user.role })

function actionsOf(request: ConsoleRequest, { id, status, kind }: OutboxRecord): Markup | null {
  if (status !== 'waiting' && status !== 'failed') return null
  const one = (action: string, label: string, style: 'secondary' | 'danger') =>
    actionForm(request, { path, action, body: html`${hidden('id', id)}${button(label, style)}` })
  return html`${one('retry', 'Send now', 'secondary')} ${one('discard', `Discard ${kind}`, 'danger')}`
}
