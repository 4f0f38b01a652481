import { isBanned, type User } from '../../../accounts/users/user.ts'
import type { ListedUsers } from '../../../endpoints/admin-users/admin-users.endpoint.ts'
import { isUuid } from '../../../platform/kit/uuid.ts'
import { html, type Markup } from '../../../service/pages/html.ts'
import { linkButton } from '../../pages/components/button.ts'
import { dataTable } from '../components/data-table.ts'
import { filterForm } from '../components/filters.ts'
import { pager } from '../components/pager.ts'
import { badge, count, link, mono, time } from '../components/values.ts'
import { presentConsole } from '../console-layout.ts'
import { type ConsoleRequest, consolePath, userPath } from '../console-request.ts'
import type { ConsoleRoute } from '../console-route.ts'

const path = '/console/users'

/** The users, the newest first, and the search by the beginning of an address, or an id. */
export const usersRoute: ConsoleRoute = {
  path,
  show: async (request) => {
    const { t, mayChange } = request
    const { users, nextCursor, estimatedCount } = await findUsers(request)
    return presentConsole(request, {
      entry: 'users',
      heading: t('nav.users'),
      lead: estimatedCount === undefined ? undefined : numberOf(request, estimatedCount),
      tools:
        mayChange && linkButton(t('users.new'), consolePath(request, `${path}/new`), 'secondary'),
      body: html`<section>
${filterForm(
  request,
  path,
  t('nav.users'),
  [{ name: 'q', label: t('users.search'), hint: t('users.searchHint') }],
  t('form.search'),
)}
${dataTable({
  caption: t('users.caption'),
  columns: [
    t('column.user'),
    t('field.role'),
    t('column.status'),
    t('column.created'),
    t('column.lastSignIn'),
    t('field.id'),
  ],
  rows: users.map((user) => [
    link(consolePath(request, userPath(user.id)), nameOf(user)),
    user.role,
    statusOf(request, user),
    time(user.createdAt),
    time(user.lastSignInAt),
    mono(user.id),
  ]),
  empty: t('users.none'),
})}
${pager(request, path, nextCursor === null ? null : { name: 'cursor', value: nextCursor })}
</section>`,
    })
  },
}

/** The number is exact up to 10,000 users. */
function numberOf(request: ConsoleRequest, estimate: number): string {
  const { t } = request
  if (estimate === 1) return t('users.one')
  const number = count(request, estimate)
  return t(estimate > 10_000 ? 'users.about' : 'users.count', { number })
}

/** Finds users by index only: a search does not become slower with their number. */
async function findUsers({ admin, options, query, deps }: ConsoleRequest): Promise<ListedUsers> {
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

const one = (user: User | null): ListedUsers => ({
  users: user ? [user] : [],
  nextCursor: null,
})

/** Returns the name under which operators know a user. */
export const nameOf = ({ email, username, phone, id }: User): string =>
  email ?? username ?? (phone === null ? id : `+${phone}`)

/** Returns the states of a user that operators look for. */
export function statusOf({ t, deps }: ConsoleRequest, user: User): Markup {
  const isPending = user.emailConfirmedAt === null && user.phoneConfirmedAt === null
  return html`${[
    user.deletedAt && badge(t('state.deleted'), 'bad'),
    isBanned(user, deps.clock.now()) && badge(t('state.banned'), 'bad'),
    user.isAnonymous && badge(t('state.anonymous')),
    !user.isAnonymous && isPending && badge(t('state.unconfirmed')),
    user.factors.some(({ status }) => status === 'verified') && badge(t('state.twoFactor'), 'good'),
  ].map((one) => one && html`${one} `)}`
}
