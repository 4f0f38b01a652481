import type { Delivery } from '../../src/delivery/carriers/carrier.ts'
import type { Mail } from '../../src/delivery/mail/mail.ts'
import type { Carriers, Outlet } from '../../src/delivery/outbox/message.ts'
import { type Outbox, openOutbox } from '../../src/delivery/outbox/outbox.ts'
import type { OutboxPace } from '../../src/delivery/outbox/outbox-pace.ts'
import {
  type MessageOrder,
  newOutboxRow,
  type OutboxRow,
} from '../../src/delivery/outbox/outbox-row.ts'
import { extractRoots, type RootKeys } from '../../src/platform/kit/derived-keys.ts'
import { statement } from '../../src/platform/sql/statement.ts'
import { type Rows, rowsOf } from '../../src/platform/sql/tables.ts'
import { type OpenDatabase, openDatabase } from '../../src/service/persistence/open-database.ts'
import { postgresDriver } from '../../src/service/persistence/postgres.ts'
import { createTestDatabase } from './database.ts'
import { runText } from './statements.ts'
import { collectInto, type LogEntry } from './test-auth.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** A table of messages, and instances that send them through the carriers of the test. */
export interface TestOutbox {
  databaseUrl: string
  database: OpenDatabase
  clock: TestClock
  log: LogEntry[]
  /** Stores messages and returns their ids; they are mails unless the order overrides it. */
  store(...orders: Partial<MessageOrder>[]): Promise<string[]>
  storeOne(order?: Partial<MessageOrder>): Promise<string>
  /** Returns the row of a message that is not stored yet. */
  newRow(order?: Partial<MessageOrder>): OutboxRow
  insert(...rows: readonly OutboxRow[]): Promise<void>
  row(id: string): Promise<OutboxRow>
  /** Changes all messages with a direct statement: `change("attempts = 98")`. */
  change(changes: string): Promise<void>
  /** Starts a sending instance, which is closed after the test. */
  open(options: OpenOptions): Outbox
  /** Closes the instances, and deletes all messages and log entries. */
  reset(): Promise<void>
  close(): Promise<void>
}

export interface OpenOptions {
  carriers: Partial<Carriers>
  pace?: Partial<OutboxPace>
  roots?: RootKeys
  /** The database of the instance. */
  database?: OpenDatabase
  concealingPauseMs?: () => number
}

export const testRoots = extractRoots('a root of keys for tests of more than 32 bytes')

/** Without polling, so that only the test causes deliveries. */
const testPace: OutboxPace = {
  pollMs: 3_600_000,
  mailsAtOnce: Number.POSITIVE_INFINITY,
  atOnce: 10,
  claimedBeyond: 45,
  attemptMs: 1_000,
  leaseMs: 60_000,
  settlePausesMs: [],
}

const noCarriers: Carriers = {
  email: null,
  sms: null,
  email_hook: null,
  sms_hook: null,
  user_hook: null,
  events: null,
  oauth_logout: null,
}

const insertMessages = statement<{ messageRows: Rows<'outbox_messages'> }>(
  'insert_messages',
  (sql, $) => sql.insertRows('outbox_messages', $.messageRows),
)

export async function startTestOutbox(): Promise<TestOutbox> {
  const { url, drop } = await createTestDatabase()
  const database = await openTestDatabase(url)
  const clock = createTestClock()
  const log: LogEntry[] = []
  const outboxes: Outbox[] = []
  const { sql } = database
  const reset = async () => {
    await Promise.all(outboxes.splice(0).map((outbox) => outbox.close()))
    await runText(sql, 'delete from auth.outbox_messages')
    log.length = 0
  }

  const insert = (rows: readonly OutboxRow[]) =>
    sql.query(insertMessages, { messageRows: rowsOf('outbox_messages', ...rows) })
  const newRow = (order: Partial<MessageOrder> = {}) =>
    newOutboxRow({ roots: testRoots }, { ...someOrder, ...order }, clock.now())
  return {
    databaseUrl: url,
    database,
    clock,
    log,
    reset,
    store: async (...orders) => {
      const rows = orders.map(newRow)
      await insert(rows)
      return rows.map(({ id }) => id)
    },
    storeOne: async (order) => {
      const row = newRow(order)
      await insert([row])
      return row.id
    },
    newRow,
    insert: async (...rows) => void (await insert(rows)),
    row: async (id) => {
      const text = 'select to_jsonb(m) as row from auth.outbox_messages m where id = $1'
      const [found] = await runText<{ row: OutboxRow }>(sql, text, [id])
      if (!found) throw new Error('there is no such message')
      return found.row
    },
    open: ({
      carriers,
      pace,
      roots = testRoots,
      database: other = database,
      concealingPauseMs = () => 0,
    }) => {
      const outbox = openOutbox(
        {
          sql: other.sql,
          clock,
          roots,
          logger: collectInto(log),
          carriers: { ...noCarriers, ...carriers },
          smsTimeoutMs: 10_000,
          concealingPauseMs,
        },
        { ...testPace, ...pace },
      )
      outboxes.push(outbox)
      return outbox
    },
    change: (changes) => runText(sql, `update auth.outbox_messages set ${changes}`).then(() => {}),
    close: async () => {
      await reset()
      await database.close()
      await drop()
    },
  }
}

export const openTestDatabase = (url: string): Promise<OpenDatabase> =>
  openDatabase(postgresDriver({ url, maxPoolSize: 0, preparedStatements: true }), {
    schema: 'auth',
    namespace: '',
  })

export const someLetter: Mail = {
  kind: 'recovery',
  to: 'ada@example.test',
  languages: [],
  variables: {
    SiteURL: 'https://app.example.test',
    Email: 'ada@example.test',
    Data: {},
    ConfirmationURL: 'https://auth.example.test/verify?token=5ec7e7',
    Token: '483920',
    TokenHash: '5ec7e7',
    RedirectTo: '',
  },
}

const someOrder: MessageOrder = {
  message: { channel: 'email', content: someLetter },
  kind: 'recovery',
  recipient: 'ada@example.test',
  userId: null,
  expiresAt: null,
}

export const someText: Partial<MessageOrder> = {
  message: { channel: 'sms', content: { to: '4915550100', code: '007314', channel: 'sms' } },
  kind: 'confirmation',
  recipient: '4915550100',
}

/** Creates a carrier that accepts all messages, and records each attempt. */
export function recordingCarrier<Content>(
  answer: (attempt: number, delivery: Delivery) => Promise<unknown> | unknown = () => {},
): Outlet<Content> & { attempts: Delivery[]; contents: Content[] } {
  const attempts: Delivery[] = []
  const contents: Content[] = []
  return {
    attempts,
    contents,
    send: async (content, delivery) => {
      contents.push(content)
      const attempt = attempts.push(delivery)
      await answer(attempt, delivery)
      return { carrierMessageId: `c${attempt}` }
    },
    preview: async () => ({ text: '' }),
  }
}
