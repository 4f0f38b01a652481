import type { CapabilityServices } from '../../capabilities/capability-host.ts'
import { subscribePages } from '../../capabilities/subscribe-pages/capability.ts'
import { SubscribePagesError } from '../../capabilities/subscribe-pages/pages-error.ts'
import type {
  ListManager,
  NewSubscriberList,
  SubscriberList,
} from '../../capabilities/subscribe-pages/subscribe-pages-types.ts'
import { listManager } from '../../capabilities/subscribe-pages/subscriber-lists.ts'
import type { Config } from '../../platform/config/config.ts'
import { ConfigError } from '../../platform/errors/start-errors.ts'
import { openCall } from '../../service/api/call-options.ts'
import { migrate } from '../../service/persistence/migrate.ts'
import { migrationStatus } from '../../service/persistence/migration-status.ts'
import type { OpenDatabase } from '../../service/persistence/open-database.ts'
import { CommandError, UsageError } from '../command-error.ts'
import { openForCommand, operator, requireMigrations } from '../operator.ts'
import type { SettingsSources } from '../settings/settings-files.ts'
import { parseAction, rejectWords } from '../terminal/parse-flags.ts'
import { jsonForTerminal, printTable } from '../terminal/print-result.ts'
import { unknownCommand } from '../usage.ts'

interface Request {
  words: string[]
  fields: Partial<NewSubscriberList>
}

type Work = (lists: ListManager) => Promise<SubscriberList[]>

/** The actions. Each validates its arguments before a connection is opened. */
const actions: Record<string, (request: Request) => Work> = {
  list: ({ words }) => {
    rejectWords('lists list', words)
    return (lists) => lists.list()
  },
  create: ({ words: [name, ...others], fields }) => {
    if (name === undefined) throw new UsageError('lists create: the name is missing')
    rejectWords('lists create', others)
    return async (lists) => [await lists.create({ ...fields, name })]
  },
  update: ({ words, fields }) => {
    const id = requireId('update', words)
    if (Object.keys(fields).length === 0) {
      throw new UsageError('lists update: nothing to change. Name a value by an option')
    }
    return async (lists) => [(await lists.update(id, fields)) ?? noSuchList(id)]
  },
  remove: ({ words }) => {
    const id = requireId('remove', words)
    return async (lists) => ((await lists.remove(id)) ? [] : noSuchList(id))
  },
}

/**
 * `latchkey lists [list|create NAME|update ID|remove ID]`: the subscriber lists of the subscription
 * pages.
 */
export async function lists(
  args: string[],
  { code = null }: Pick<SettingsSources, 'code'> = {},
): Promise<void> {
  const { name, json, ...request } = readRequest(args)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw unknownCommand('lists', name)
  const work = action(request)
  const storesNothing = name === 'list'
  const { deps, database, close } = await openForCommand('database', code, { storesNothing })
  try {
    await requirePages(deps.config, database, { isCode: code !== null, storesNothing })
    // Lists use no other part of a service.
    const services = { deps, openCall: () => openCall(deps) } as CapabilityServices
    const shown = await work(listManager((use) => use(services), operator))
    if (json) process.stdout.write(`${jsonForTerminal(shown)}\n`)
    else printTable(columns, shown.map(describeList))
  } catch (error) {
    throw error instanceof SubscribePagesError ? describeError(name, error) : error
  } finally {
    await close()
  }
}

/**
 * Creates the tables of enabled pages, unless the command only reads.
 *
 * @throws ConfigError if the pages are not enabled; CommandError if no application with settings in
 *   code has created them, and as `requireMigrations`; ForeignSchemaError.
 */
async function requirePages(
  { database: place, server }: Config,
  database: OpenDatabase,
  { isCode, storesNothing }: { isCode: boolean; storesNothing: boolean },
): Promise<void> {
  const { migrations } = subscribePages
  if (server.subscribePagesEnabled) {
    if (storesNothing) return requireMigrations(database.sql, place, migrations)
    return void (await migrate(database, place, migrations))
  }
  if (!isCode) throw new ConfigError([notEnabled])
  const { pending } = await migrationStatus(database.sql, place, migrations)
  if (pending.length > 0)
    throw new CommandError(
      'lists: the database has no subscription pages. Start the application that creates them with createSubscribePages first',
    )
}

const notEnabled = {
  path: 'AUTH_SUBSCRIBE_PAGES_ENABLED',
  message: 'has to be true: lists belong to the subscription pages',
}

function readRequest(args: string[]) {
  const { name, words, values } = parseAction('lists', args, {
    options: {
      json: { type: 'boolean', default: false },
      name: { type: 'string' },
      description: { type: 'string' },
      position: { type: 'string' },
      public: { type: 'boolean' },
      private: { type: 'boolean' },
    },
    defaultName: 'list',
  })
  const { json, description, position } = values
  if (values.public && values.private)
    throw new UsageError('lists: --public or --private, not both')
  const fields: Partial<NewSubscriberList> = {
    ...(values.name !== undefined && { name: values.name }),
    // An empty text deletes the description.
    ...(description !== undefined && { description: description || null }),
    ...(position !== undefined && { listPosition: readPosition(position) }),
    ...((values.public || values.private) && { public: values.public === true }),
  }
  return { name, words, json, fields }
}

function readPosition(text: string): number | null {
  if (!/^-?\d{0,9}$/.test(text)) throw new UsageError('lists: --position must be a number')
  return text === '' ? null : Number(text)
}

function requireId(action: string, [id = '', ...others]: string[]): number {
  if (!/^\d{1,9}$/.test(id) || others.length > 0) {
    throw new UsageError(`lists ${action}: which list? See latchkey lists list`)
  }
  return Number(id)
}

function noSuchList(id: number): never {
  throw new CommandError(`lists: there is no list ${id}`)
}

/** Converts the violations of fields into an error about the options, which have the same names. */
const describeError = (name: string, { violations }: SubscribePagesError): UsageError =>
  new UsageError(
    `lists ${name}: ${Object.entries(violations ?? {})
      .map(([field, texts]) => `${field} ${texts.join(', ')}`)
      .join('; ')}`,
  )

const columns = ['id', 'name', 'public', 'position', 'description']

const describeList = (list: SubscriberList): string[] => [
  String(list.id),
  list.name,
  list.public ? 'public' : 'private',
  list.listPosition === null ? '-' : String(list.listPosition),
  list.description ?? '-',
]
