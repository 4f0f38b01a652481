import { recordAlone } from '../../accounts/acts/record-act.ts'
import type { Deps } from '../../accounts/auth-context.ts'
import { issueServiceToken } from '../../credentials/access-tokens/issue-access-token.ts'
import { requireStrongPassword } from '../../credentials/passwords/password-policy.ts'
import {
  type GeneratedLinkType,
  generatedLinkTypes,
} from '../../endpoints/generate-link/generate-link.endpoint.ts'
import { parseDuration } from '../../platform/kit/time-formats.ts'
import { openCall } from '../../service/api/call-options.ts'
import { UsageError } from '../command-error.ts'
import { operator } from '../operator.ts'
import { confirm, readSecret } from '../terminal/prompts.ts'
import {
  type AdminAction,
  type AdminRequest,
  type AdminResult,
  exactly,
  flag,
  type ReadingRequest,
  readLimit,
  remarkOn,
  show,
  text,
  textOf,
} from './admin-action.ts'
import { listAudit } from './list-audit.ts'
import {
  describeUser,
  readAddress,
  requireUser,
  requireUserId,
  showUser,
  userColumns,
} from './name-user.ts'

const changes = { role: text, confirm: flag, password: flag, name: text } as const

const oneUser = { takes: 'one user: an id, an email address or a phone number', words: exactly(1) }

/** `latchkey admin NAME …` */
export const adminActions: Record<string, AdminAction> = {
  list: {
    takes: 'at most a part of an address or name',
    words: { min: 0, max: 1 },
    options: { limit: text, cursor: text, 'email-prefix': text },
    reads: true,
    run: listUsers,
  },
  'create-user': {
    takes: 'an email address or a phone number',
    words: exactly(1),
    options: { ...changes, id: text },
    run: async ({ admin, deps, words, flags }) => {
      const address = readAddress(words[0])
      const given = { ...address, ...textOf(flags, 'id'), ...(await readChanges(deps, flags)) }
      return showUser(await admin.createUser(given))
    },
  },
  'update-user': {
    ...oneUser,
    options: { ...changes, email: text, phone: text },
    check: ({ flags }) => {
      if (Object.keys(flags).length > 0) return
      throw new UsageError('admin update-user: nothing to change. Name a value by an option')
    },
    run: async ({ admin, deps, words, flags }) => {
      const { id } = await requireUser(admin, words[0])
      const addresses = { ...textOf(flags, 'email'), ...textOf(flags, 'phone') }
      return showUser(
        await admin.updateUser(id, { ...addresses, ...(await readChanges(deps, flags)) }),
      )
    },
  },
  'delete-user': {
    ...oneUser,
    options: { soft: flag, yes: flag },
    run: async ({ admin, words: [user], flags }) => {
      const { id } = await requireUser(admin, user)
      const soft = flags['soft'] === true
      if (!soft && flags['yes'] !== true) await confirm(`${user} will be deleted permanently.`)
      await admin.deleteUser(id, { soft })
      return show({ id, deleted: true }, { id, state: 'deleted' })
    },
  },
  'export-user': {
    ...oneUser,
    run: async ({ admin, words: [user] }) => {
      const document = await admin.exportUser(await requireUserId(admin, user))
      return { value: null, columns: [], rows: [], document }
    },
  },
  'erase-user': {
    ...oneUser,
    options: { yes: flag },
    run: async ({ admin, words: [user], flags }) => {
      const id = await requireUserId(admin, user)
      if (flags['yes'] !== true)
        await confirm(`Everything stored about ${user} will be deleted permanently.`)
      await admin.eraseUser(id)
      return show({ id, erased: true }, { id, state: 'erased' })
    },
  },
  ban: {
    takes:
      'a user and, optionally, a duration such as 24h; without one the ban is permanent, and none lifts it',
    words: { min: 1, max: 2 },
    run: async ({ admin, words: [user, duration] }) => {
      if (duration && duration !== 'none' && parseDuration(duration) === null) {
        throw new UsageError('admin ban: DURATION must be a duration such as 24h, or none')
      }
      const { id } = await requireUser(admin, user)
      if (duration === 'none') return showUser(await admin.unbanUser(id))
      return showUser(await admin.banUser(id, { duration }))
    },
  },
  unban: {
    ...oneUser,
    run: async ({ admin, words: [user] }) =>
      showUser(await admin.unbanUser((await requireUser(admin, user)).id)),
  },
  link: {
    takes: `a type (${generatedLinkTypes.join(', ')}) and an email address`,
    words: exactly(2),
    options: { 'redirect-to': text, 'new-email': text, password: flag },
    names: { type: 'TYPE', email: 'EMAIL' },
    check: ({ words: [type] }) => void readLinkType(type),
    run: makeLink,
  },
  audit: {
    takes: 'at most a query: author:ada, action:login or type:team',
    words: { min: 0, max: 1 },
    names: { query: 'QUERY' },
    options: { by: text, about: text, since: text, until: text, limit: text, cursor: text },
    reads: true,
    run: listAudit,
  },
  token: {
    takes: 'no arguments',
    words: exactly(0),
    options: { role: text, lifetime: text },
    run: issueToken,
  },
}

async function listUsers({ admin, words: [filter], flags }: ReadingRequest): Promise<AdminResult> {
  const limit = readLimit('list', flags)
  const emailPrefix = textOf(flags, 'email-prefix')['email-prefix']
  const value = await admin.listUsers({ filter, emailPrefix, limit, ...textOf(flags, 'cursor') })
  return {
    value,
    columns: userColumns,
    rows: value.users.map(describeUser),
    ...remarkOn(value.nextCursor),
  }
}

function readLinkType(word: string | undefined): GeneratedLinkType {
  const type = generatedLinkTypes.find((one) => one === word)
  if (type) return type
  throw new UsageError(`admin link: TYPE must be one of ${generatedLinkTypes.join(', ')}`)
}

async function makeLink({ admin, deps, words, flags }: AdminRequest): Promise<AdminResult> {
  const [word, email = ''] = words
  const type = readLinkType(word)
  const password = flags['password'] === true ? await readPassword(deps) : undefined
  // A malformed address is rejected by the next call.
  const isNew = (await admin.findUser({ email }).catch(() => undefined)) === null
  const link = await admin.generateLink({
    type,
    email,
    redirectTo: textOf(flags, 'redirect-to')['redirect-to'],
    newEmail: textOf(flags, 'new-email')['new-email'],
    password,
  })
  return {
    ...show(link, { type: link.verificationType, code: link.emailOtp, link: link.actionLink }),
    ...(isNew && {
      remark: `No user had ${link.user.email}: the user ${link.user.id} was created.`,
    }),
  }
}

/** Ten years, the lifetime of the service keys of Supabase. */
const longestTokenSeconds = 87_600 * 3_600

async function issueToken({ deps, flags }: AdminRequest): Promise<AdminResult> {
  const { keys, clock, config } = deps
  const { role = config.jwt.adminRoles[0] ?? 'service_role', lifetime = '1h' } = {
    ...textOf(flags, 'role'),
    ...textOf(flags, 'lifetime'),
  }
  const lifetimeSeconds = Math.floor((parseDuration(lifetime) ?? 0) / 1000)
  if (lifetimeSeconds < 1)
    throw new UsageError('admin token: --lifetime must be a duration such as 12h')
  if (lifetimeSeconds > longestTokenSeconds) {
    throw new UsageError('admin token: --lifetime can be at most 87600h, ten years')
  }
  if (!config.jwt.adminRoles.includes(role)) {
    throw new UsageError(`admin token: --role has to be one of ${config.jwt.adminRoles.join(', ')}`)
  }
  const token = await issueServiceToken(keys, { role, lifetimeSeconds, now: clock.now() })
  await recordAlone(openCall(deps), {
    action: 'service_token_issued',
    actorRole: operator.role,
    traits: { role, lifetime_seconds: lifetimeSeconds },
  })
  return show({ token, role, lifetimeSeconds }, { token })
}

/**
 * Reads a password and applies the policy for users' own passwords. In code, an operator's password
 * is not checked against it; here a person types it.
 */
async function readPassword(deps: Deps): Promise<string> {
  const password = await readSecret('Password')
  await requireStrongPassword(deps, password)
  if (password.length < easilyGuessed && !deps.config.passwords.hibpEnabled) {
    process.stderr.write(
      `This password has fewer than ${easilyGuessed} characters and is not checked against breached passwords: ` +
        'use a longer one, which is harder to guess.\n',
    )
  }
  return password
}

const easilyGuessed = 12

async function readChanges(deps: Deps, flags: AdminRequest['flags']) {
  const { name } = textOf(flags, 'name')
  return {
    ...textOf(flags, 'role'),
    ...(flags['confirm'] === true && { emailConfirm: true, phoneConfirm: true }),
    ...(name !== undefined && { userMetadata: { full_name: name } }),
    ...(flags['password'] === true && { password: await readPassword(deps) }),
  }
}
