import { recordAlone } from '../../accounts/acts/record-act.ts'
import { toExportedEntry } from '../../accounts/audit/personal-entries.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { limitKeysOf } from '../../accounts/lifecycle/limit-keys-of.ts'
import { personalTables } from '../../accounts/lifecycle/personal-tables.ts'
import { findSessionIps } from '../../accounts/sessions/sessions.sql.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { type ExportedPage, exportRows, type Whose } from '../../platform/sql/export-rows.sql.ts'
import type { ExportedRow, PersonalTable } from '../../platform/sql/personal-table.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import type { ExportedPerson, ExportedUser, PersonExport } from './exported-person.ts'
import { requireUserId } from './find-user.ts'

/**
 * Exports all stored data of a user, read a page at a time while the text is consumed. A concurrent
 * change may appear in one part only.
 *
 * @throws AuthError `validation_failed` (404) for a malformed id, `user_not_found` (404) when no
 *   data is stored, not even of a deleted user.
 */
export async function exportUser(ctx: AuthContext, userId: string): Promise<PersonExport> {
  const own = { userId: requireUserId(userId), keys: [] }
  const { sql, user } = await requireStored(ctx, own)
  const ips = user ? await findSessionIps(sql, user.id) : []
  const whose = { ...own, keys: user ? limitKeysOf({ ...limited(user), ips }) : [] }
  return toExport(() => textOf({ ...ctx, reader: sql }, user, whose))
}

/**
 * Exports all stored data of a user for an operator. The audit log contains it.
 *
 * @throws AuthError as {@link exportUser}.
 */
export async function exportUserForOperator(
  ctx: AuthContext,
  { role: actorRole }: Admin,
  userId: string,
): Promise<PersonExport> {
  const exported = await exportUser(ctx, userId)
  await recordAlone(ctx, { action: 'user_exported', actorRole, userId: requireUserId(userId) })
  return exported
}

/**
 * Exports all stored data of a user for the user. The audit log contains it.
 *
 * @throws AuthError as {@link exportUser}.
 */
export async function exportOwnUser(ctx: AuthContext, userId: string): Promise<PersonExport> {
  const exported = await exportUser(ctx, userId)
  await recordAlone(ctx, { action: 'user_exported', actorId: userId })
  return exported
}

/**
 * Returns the user, and the database whose rows are exported: the primary where the replica has no
 * data of the user yet.
 *
 * @throws AuthError `user_not_found`
 */
async function requireStored(
  ctx: AuthContext,
  own: Whose,
): Promise<{ sql: Queryable; user: ExportedUser | null }> {
  const { users, auditEntries } = personalTables
  for (const sql of new Set([ctx.reader, ctx.sql])) {
    const found: ExportedUser[] = (await exportRows(sql, users, own)).rows
    const user = found[0] ?? null
    if (user || (await exportRows(sql, auditEntries, own)).rows.length > 0) return { sql, user }
  }
  throw userNotFound()
}

type ListName = Exclude<keyof typeof personalTables, 'users'>

type Exported<Table> =
  Table extends PersonalTable<infer Row, infer Columns> ? ExportedRow<Row, Columns> : never

/** Exported columns that the published types lack: a name among them does not compile. */
type Unpublished = {
  [Name in ListName]: Exclude<
    keyof Exported<(typeof personalTables)[Name]>,
    keyof ExportedPerson[Name][number]
  >
}[ListName]
const isPublishedWhole: [Unpublished] extends [never] ? true : never = true

/** Returns the export as JSON, in parts of a bounded size. */
async function* textOf(
  ctx: AuthContext,
  user: ExportedUser | null,
  whose: Whose,
): AsyncGenerator<string> {
  const { users: _, ...tables } = personalTables
  const exportedAt = ctx.clock.now().toISOString()
  yield `${JSON.stringify({ exportedAt, user }).slice(0, -1)}`
  for (const [name, table] of Object.entries({ ...tables, ...ctx.builtInTables })) {
    yield `,${JSON.stringify(name)}:`
    yield* listOf(ctx, table as unknown as PersonalTable, whose, presenters[name])
  }
  yield* companionsOf(ctx, whose)
  yield '}'
}

/** Converts rows whose exported form differs from the stored one. */
const presenters: Readonly<Record<string, (row: never) => unknown>> = isPublishedWhole && {
  auditEntries: toExportedEntry,
}

async function* listOf(
  { sql, reader }: AuthContext,
  table: PersonalTable,
  whose: Whose,
  present: (row: never) => unknown = (row) => row,
): AsyncGenerator<string> {
  const source = table.isUnlogged ? sql : reader
  let after: string | null = null
  let separator = '['
  do {
    const page: ExportedPage<object> = await exportRows(source, table, whose, after)
    const text = page.rows.map((row) => JSON.stringify(present(row as never))).join(',')
    if (text !== '') {
      yield separator + text
      separator = ','
    }
    after = page.next
  } while (after !== null)
  yield separator === '[' ? '[]' : ']'
}

/** Returns no text, not even an empty object, where there is no companion. */
async function* companionsOf(ctx: AuthContext, whose: Whose): AsyncGenerator<string> {
  const all = Object.entries(await ctx.capabilityTables())
  if (all.length === 0) return
  let separator = ',"companions":{'
  for (const [name, table] of all) {
    yield `${separator}${JSON.stringify(name)}:`
    yield* listOf(ctx, table, whose)
    separator = ','
  }
  yield '}'
}

const toExport = (begin: () => AsyncGenerator<string>): PersonExport => ({
  [Symbol.asyncIterator]: begin,
  read: async () => {
    let text = ''
    for await (const part of begin()) text += part
    return JSON.parse(text) as ExportedPerson
  },
})

const limited = (user: ExportedUser) => ({
  id: user.id,
  audience: user.audience,
  emails: [user.email, user.newEmail].filter((value) => value !== null),
  phones: [user.phone, user.newPhone].filter((value) => value !== null),
  usernames: [user.username].filter((value) => value !== null),
})
