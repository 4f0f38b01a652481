import { isBanned, type User } from '../../../accounts/users/user.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { linkButton } from '../../pages/components/button.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { pager } from '../components/pager.ts'
import { badge, count, link, mono, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { type ConsoleRequest, consolePath } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/users'

interface Found {
  users: User[]
  nextCursor: string | null
  /** An estimate; absent where it is not known. */
  estimatedCount?: number | undefined
}

/** The users, the newest first, and the search by the beginning of an address, or an id. */
export const usersRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { users, nextCursor, estimatedCount } = await findUsers(request)
    const total = estimatedCount === undefined ? undefined : usersOf(estimatedCount)
    return presentConsole(request, {
      entry: 'users',
      heading: 'Users',
      lead: total,
      body: html`<section>
${filterForm(request, path, 'Users', [
  {
    name: 'q',
    label: 'Search',
    hint: 'The beginning of an email address, or a whole id, phone number or user name.',
  },
])}
${request.mayChange && linkButton('Create or invite a user', consolePath(request, `${path}/new`), 'secondary')}
${dataTable({
  caption: 'Users',
  columns: ['User', 'Role', 'Status', 'Created', 'Last sign-in', 'Id'],
  rows: users.map((user) => [
    link(consolePath(request, `${path}/${user.id}`), nameOf(user)),
    user.role,
    statusOf(user, request.deps.clock.now()),
    time(user.createdAt),
    time(user.lastSignInAt),
    mono(user.id),
  ]),
  empty: 'No user matches.',
})}
${pager(request, path, nextCursor === null ? null : { name: 'cursor', value: nextCursor })}
</section>`,
    })
  },
}

/** The number is exact up to 10,000 users. */
const usersOf = (estimate: number): string =>
  `${estimate > 10_000 ? 'About ' : ''}${count(estimate)} ${estimate === 1 ? 'user' : 'users'}.`

/** Finds users by index only: a search does not become slower with their number. */
async function findUsers({ admin, options, query, deps }: ConsoleRequest): Promise<Found> {
  const q = (query.get('q') ?? '').trim()
  const cursor = query.get('cursor')
  const isId: boolean = isUuid(q)
  if (isId) return one(await admin.findUser({ id: q }, options))
  if (/^\+\d[\d ]{5,20}$/.test(q)) {
    return one(await admin.findUser({ phone: q.replaceAll(' ', '') }, options))
  }
  const listed = await admin.listUsers(
    { cursor, count: 'estimated', ...(q !== '' && { emailPrefix: q }) },
    options,
  )
  if (q === '' || listed.users.length > 0 || !deps.config.usernames.enabled) return listed
  return one(await admin.findUser({ username: q }, options))
}

const one = (user: User | null): Found => ({
  users: user ? [user] : [],
  nextCursor: null,
})

/** Returns the name under which operators know a user. */
export const nameOf = ({ email, username, phone, id }: User): string =>
  email ?? username ?? (phone === null ? id : `+${phone}`)

/** Returns the states of a user that operators look for. */
export function statusOf(user: User, now: Date): Markup {
  const isPending = user.emailConfirmedAt === null && user.phoneConfirmedAt === null
  return html`${[
    user.deletedAt && badge('Deleted', 'bad'),
    isBanned(user, now) && badge('Banned', 'bad'),
    user.isAnonymous && badge('Anonymous'),
    !user.isAnonymous && isPending && badge('Unconfirmed'),
    user.factors.some(({ status }) => status === 'verified') && badge('2FA', 'good'),
  ].map((one) => one && html`${one} `)}`
}
