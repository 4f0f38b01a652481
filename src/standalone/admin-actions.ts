import type { ParseArgsConfig } from 'node:util'
import { issueServiceToken } from '../access-tokens/issue-service-token.ts'
import type { AdminApi, GenerateLinkInput } from '../api/admin-api.ts'
import type { Deps } from '../deps.ts'
import type { UserLookUp } from '../flows/admin-users/user-look-up.ts'
import { parseDuration } from '../kit/duration.ts'
import { isUuid } from '../kit/uuid.ts'
import { type Account, isBanned } from '../users/account.ts'
import { userNotFound } from '../users/user-errors.ts'
import { confirm } from './confirm.ts'
import { readSecret } from './read-secret.ts'
import { UsageError } from './usage-error.ts'

export interface AdminRequest {
  admin: AdminApi
  deps: Deps
  words: string[]
  flags: Record<string, string | boolean | (string | boolean)[] | undefined>
}

/** What came of it: for programs, and as a table for people. */
export interface AdminResult {
  value: unknown
  columns: readonly string[]
  rows: string[][]
  /** Said to people beside the table. */
  remark?: string
  /** No table could show it: the value is written for people as well. */
  isDocument?: boolean
}

export interface AdminAction {
  /** What follows the name, in words and as a number. */
  takes: string
  words: { min: number; max: number }
  options?: ParseArgsConfig['options']
  run(request: AdminRequest): Promise<AdminResult>
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const changes = { role: text, confirm: flag, password: flag, name: text } as const

const oneUser = { takes: 'one user: an id, an email address or a phone number', words: one(1) }

/** `latchkey admin NAME …` */
export const adminActions: Record<string, AdminAction> = {
  list: {
    ...{ takes: 'at most a part of an address or name', words: { min: 0, max: 1 } },
    options: { limit: text, cursor: text },
    run: listUsers,
  },
  'create-user': {
    ...{ takes: 'an email address or a phone number', words: one(1) },
    options: { ...changes, id: text },
    run: async ({ admin, words, flags }) => {
      const address = readAddress(words[0])
      const given = { ...address, ...textOf(flags, 'id'), ...(await readChanges(flags)) }
      return showUser(await admin.createUser(given))
    },
  },
  'update-user': {
    ...oneUser,
    options: { ...changes, email: text, phone: text },
    run: async ({ admin, words, flags }) => {
      const { id } = await requireUser(admin, words[0])
      const addresses = { ...textOf(flags, 'email'), ...textOf(flags, 'phone') }
      return showUser(await admin.updateUser(id, { ...addresses, ...(await readChanges(flags)) }))
    },
  },
  'delete-user': {
    ...oneUser,
    options: { soft: flag },
    run: async ({ admin, words, flags }) => {
      const { id } = await requireUser(admin, words[0])
      await admin.deleteUser(id, { soft: flags['soft'] === true })
      return show({ id, deleted: true }, { id, state: 'deleted' })
    },
  },
  'export-user': {
    ...oneUser,
    run: async ({ admin, words: [user] }) => {
      const value = await admin.exportUser(await requireUserId(admin, user))
      return { value, columns: [], rows: [], isDocument: true }
    },
  },
  'erase-user': {
    ...oneUser,
    options: { yes: flag },
    run: async ({ admin, words: [user], flags }) => {
      const id = await requireUserId(admin, user)
      if (flags['yes'] !== true) await confirm(`All that is stored about ${user} goes for good.`)
      await admin.eraseUser(id)
      return show({ id, erased: true }, { id, state: 'erased' })
    },
  },
  ban: {
    ...{ takes: 'a user, and for how long: 24h; for good without', words: { min: 1, max: 2 } },
    run: async ({ admin, words: [user, duration] }) => {
      const { id } = await requireUser(admin, user)
      return showUser(await admin.banUser(id, { duration }))
    },
  },
  unban: {
    ...oneUser,
    run: async ({ admin, words: [user] }) =>
      showUser(await admin.unbanUser((await requireUser(admin, user)).id)),
  },
  link: {
    ...{ takes: 'a type such as recovery or magiclink, and an email address', words: one(2) },
    options: { 'redirect-to': text, 'new-email': text, password: flag },
    run: makeLink,
  },
  token: {
    ...{ takes: 'no word', words: one(0) },
    options: { role: text, lifetime: text },
    run: issueToken,
  },
}

function one(count: number) {
  return { min: count, max: count }
}

async function listUsers({ admin, words: [filter], flags }: AdminRequest): Promise<AdminResult> {
  const limit = readLimit(textOf(flags, 'limit').limit)
  const value = await admin.listUsers({ filter, limit, ...textOf(flags, 'cursor') })
  return {
    ...{ value, columns: userColumns, rows: value.users.map(describeUser) },
    ...(value.nextCursor && { remark: `There are more: --cursor ${value.nextCursor}` }),
  }
}

function readLimit(limit: string | undefined): number | undefined {
  if (limit === undefined) return undefined
  if (!/^\d{1,9}$/.test(limit)) throw new UsageError('admin list: --limit has to be a number')
  return Number(limit)
}

async function makeLink({ admin, words, flags }: AdminRequest): Promise<AdminResult> {
  const [type, email = ''] = words
  const link = await admin.generateLink({
    // What is no type is refused where it is read, as in code.
    ...{ type: type as GenerateLinkInput['type'], email },
    redirectTo: textOf(flags, 'redirect-to')['redirect-to'],
    newEmail: textOf(flags, 'new-email')['new-email'],
    ...(flags['password'] === true && { password: await readSecret('Password') }),
  })
  return show(link, { type: link.verificationType, code: link.emailOtp, link: link.actionLink })
}

async function issueToken({ deps, flags }: AdminRequest): Promise<AdminResult> {
  const { keys, clock, config } = deps
  const { role = config.jwt.adminRoles[0] ?? 'service_role', lifetime = '1h' } = {
    ...textOf(flags, 'role'),
    ...textOf(flags, 'lifetime'),
  }
  const lifetimeSeconds = Math.floor((parseDuration(lifetime) ?? 0) / 1000)
  if (lifetimeSeconds < 1) throw new UsageError('admin token: --lifetime has to be such as 12h')
  if (!config.jwt.adminRoles.includes(role)) {
    throw new UsageError(`admin token: --role has to be one of ${config.jwt.adminRoles.join(', ')}`)
  }
  const token = await issueServiceToken(keys, { role, lifetimeSeconds, now: clock.now() })
  return show({ token, role, lifetimeSeconds }, { token })
}

/** A flag that has a value, under its name; nothing where it was not given. */
const textOf = <Name extends string>(
  flags: AdminRequest['flags'],
  name: Name,
): { [name in Name]?: string } =>
  (typeof flags[name] === 'string' ? { [name]: flags[name] } : {}) as { [name in Name]?: string }

async function readChanges(flags: AdminRequest['flags']) {
  const { name } = textOf(flags, 'name')
  return {
    ...textOf(flags, 'role'),
    ...(flags['confirm'] === true && { emailConfirm: true, phoneConfirm: true }),
    ...(name !== undefined && { userMetadata: { full_name: name } }),
    ...(flags['password'] === true && { password: await readSecret('Password') }),
  }
}

const readAddress = (word = ''): { email: string } | { phone: string } =>
  word.includes('@') ? { email: word } : { phone: word }

/** Of somebody who was deleted, there may still be something under the id. */
const requireUserId = async (admin: AdminApi, word = ''): Promise<string> =>
  isUuid(word) ? word : (await requireUser(admin, word)).id

async function requireUser(admin: AdminApi, word = ''): Promise<Account> {
  const lookUp: UserLookUp = isUuid(word) ? { id: word } : readAddress(word)
  const user = await admin.findUser(lookUp)
  if (!user) throw userNotFound()
  return user
}

const userColumns = ['id', 'email', 'phone', 'role', 'created', 'state']

const showUser = (user: Account): AdminResult => ({
  ...{ value: user, columns: userColumns, rows: [describeUser(user)] },
})

const show = (value: unknown, cells: Record<string, string>): AdminResult => ({
  ...{ value, columns: Object.keys(cells), rows: [Object.values(cells)] },
})

const describeUser = (user: Account): string[] => [
  ...[user.id, user.email ?? '-', user.phone ?? '-', user.role, user.createdAt.toISOString()],
  stateOf(user),
]

function stateOf(user: Account): string {
  if (user.deletedAt) return 'deleted'
  if (isBanned(user, new Date())) return `banned until ${user.bannedUntil?.toISOString()}`
  return user.emailConfirmedAt || user.phoneConfirmedAt ? 'confirmed' : 'unconfirmed'
}
