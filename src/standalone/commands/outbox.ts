import type { Deps } from '../../accounts/auth-context.ts'
import type { MessagePreview } from '../../delivery/outbox/message.ts'
import { closeCarriers, openCarriers } from '../../delivery/outbox/open-carriers.ts'
import type { OutboxRecord } from '../../delivery/outbox/outbox-record.ts'
import { watchSmsTraffic } from '../../delivery/sms/sms-traffic.ts'
import type { Config } from '../../platform/config/config.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import type { OutgoingQueue } from '../../platform/kit/outgoing-queue.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import { createOutboxApi } from '../../service/api/create-outbox-api.ts'
import type { OutboxApi, OutboxFilter } from '../../service/api/outbox-api.ts'
import { openConfiguredDatabase } from '../../service/persistence/open-configured-database.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { resolveRoots } from '../../service/resolve-roots.ts'
import { UsageError } from '../command-error.ts'
import { checkOperatorEnvironment, operator, storingParts } from '../operator.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseAction, rejectWords } from '../terminal/parse-flags.ts'
import { jsonForTerminal, printTable, textForTerminal } from '../terminal/print-result.ts'
import { confirm } from '../terminal/prompts.ts'
import { asUsageError } from '../terminal/rejected-input.ts'
import { unknownCommand } from '../usage.ts'

interface Request {
  ids: string[]
  filter: OutboxFilter
  json: boolean
  isConfirmed: boolean
}

const actions: Record<string, (outbox: OutboxApi, request: Request) => Promise<void>> = {
  list: async (outbox, { filter, json }) => {
    const records = await outbox.list(filter)
    if (json) print(jsonForTerminal(records))
    else printTable(columns, records.map(describeRecord))
  },
  retry: async (outbox, { ids, json }) => {
    const id = requireId('retry', ids)
    await outbox.retry(id)
    print(json ? JSON.stringify({ id }) : `${id} will be tried within seconds`)
  },
  discard: async (outbox, { ids, json, isConfirmed }) => {
    const id = requireId('discard', ids)
    if (!isConfirmed) await confirm(`The message ${id} will be deleted permanently, and not sent.`)
    await outbox.discard(id)
    print(json ? JSON.stringify({ id }) : `${id} was discarded`)
  },
  preview: async (outbox, { ids, json }) => {
    const preview = await outbox.preview(requireId('preview', ids))
    print(json ? jsonForTerminal(preview) : describePreview(preview))
  },
}

/**
 * `latchkey outbox [list|retry ID|discard ID|preview ID]`: the messages waiting for delivery. Sends none
 * itself.
 */
export async function outbox(
  args: string[],
  { code }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { name, ...request } = readRequest(args)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('outbox', name)
  if (name === 'list') rejectWords('outbox list', request.ids)
  const { resolved } = checkOperatorEnvironment(process.env, { needs: 'root keys', code })
  const database = await openConfiguredDatabase(resolved)
  try {
    await withOutbox(resolved, database, (opened) => action(opened, request))
  } catch (error) {
    throw asUsageError(error, { command: `outbox ${name}`, options: ['status', 'limit', 'before'] })
  } finally {
    await database.close()
  }
}

async function withOutbox(
  config: Config,
  database: OpenDatabase,
  work: (outbox: OutboxApi) => Promise<void>,
): Promise<void> {
  const needs = { config, database, clock: systemClock, logger: silentLogger }
  // The command verifies no codes.
  const codeCheckQueue: OutgoingQueue = (work) => work()
  const messaging = openCarriers({ ...needs, smsTraffic: watchSmsTraffic(needs), codeCheckQueue })
  const { carriers } = messaging
  const parts = await storingParts(config, database)
  const roots = await resolveRoots(config)
  // The running servers send: they query the outbox every few seconds.
  const sender = { wake: () => {} } as Deps['outbox']
  try {
    await work(createOutboxApi({ ...parts, carriers, roots, outbox: sender }, operator))
  } finally {
    await closeCarriers(messaging)
  }
}

function readRequest(args: string[]): Request & { name: string } {
  const { name, words, values } = parseAction('outbox', args, {
    options: {
      json: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      status: { type: 'string' },
      limit: { type: 'string' },
      before: { type: 'string' },
    },
    defaultName: 'list',
  })
  const { json, status, limit, before } = values
  const filter = { status, before, limit: limit === undefined ? undefined : readNumber(limit) }
  // `list` rejects an unknown status, as it does in code.
  return { name, ids: words, json, isConfirmed: values.yes, filter: filter as OutboxFilter }
}

function readNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('outbox: --limit must be a number')
  return Number(text)
}

function requireId(action: string, [id, ...others]: string[]): string {
  if (!id || others.length > 0) {
    throw new UsageError(`outbox ${action}: which message? See latchkey outbox list`)
  }
  return id
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const columns = ['id', 'status', 'attempts', 'created', 'kind', 'recipient', 'next', 'reason']

const describeRecord = (record: OutboxRecord): string[] => [
  record.id,
  record.status,
  String(record.attempts),
  record.createdAt.toISOString(),
  record.kind,
  record.recipient,
  record.nextAttemptAt?.toISOString() ?? '-',
  record.lastError ?? '-',
]

function describePreview(preview: MessagePreview): string {
  if ('payload' in preview) return jsonForTerminal(preview.payload)
  const subject = 'subject' in preview ? `Subject: ${preview.subject}\n\n` : ''
  return textForTerminal(subject + preview.text)
}
