import type { H3, H3Event } from 'h3'
import type { Deps } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { answerJsonText, jsonList } from '../../http/json-text.ts'
import { openContext } from '../../http/open-context.ts'
import { createPageTurns, readPage, requireWholePage, setPageHeaders } from '../../http/paging.ts'
import { presentUser, presentUserRow } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer, readQuery } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { requireShort } from '../../kit/storable-text.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import {
  createUserEndpoint,
  createUserWithIdEndpoint,
  deleteUserByIdEndpoint,
  getUserByIdEndpoint,
  listUsersEndpoint,
  updateUserByIdEndpoint,
} from './admin-users.endpoint.ts'
import { createUserAsOperator } from './create-user-as-operator.ts'
import { deleteUser } from './delete-user.ts'
import { listUsersByPage } from './list-users.ts'
import { requireUserById, requireUserId } from './require-user-by-id.ts'
import { updateUser } from './update-user.ts'

/** `POST /admin/users`, and `POST /admin/users/{user_id}` where the path's id becomes the user's. */
export function createUserRoute(app: H3, deps: Deps): void {
  const create = async (event: H3Event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const pathId = readPathId(event, 'user_id')
    const id = pathId === '' ? undefined : requireUserId(pathId)
    const input = await readInput(event, createUserEndpoint)

    return presentUser(await createUserAsOperator(ctx, admin, { ...input, id: id ?? input.id }))
  }
  serveEndpoint(app, createUserEndpoint, create)
  serveEndpoint(app, createUserWithIdEndpoint, create)
}

/** `GET /admin/users`: the users of an audience by pages, the newest first. */
export function listUsersRoute(app: H3, deps: Deps): void {
  const inTurn = createPageTurns()
  serveEndpoint(app, listUsersEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))
    const page = readPage(event)
    const order = readSort(event.url.searchParams.getAll('sort'))
    const filter = requireShort(readQuery(event, 'filter') ?? '', 'filter') || null

    return inTurn(page, async () => {
      const { users, total, isCut } = await listUsersByPage(ctx, { filter, order }, page)
      requireWholePage(page, users, isCut)
      setPageHeaders(event, page, total)
      const list = await jsonList(users, presentUserRow)
      const aud = JSON.stringify(ctx.request.audience)
      return answerJsonText(event, `{"users":${list},"aud":${aud}}`)
    })
  })
}

/** `GET /admin/users/{user_id}` */
export function getUserByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, getUserByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))

    return presentUser(await requireUserById(ctx, readPathId(event, 'user_id')))
  })
}

/** `PUT /admin/users/{user_id}` */
export function updateUserByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, updateUserByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const changes = await readInput(event, updateUserByIdEndpoint)

    return presentUser(await updateUser(ctx, admin, readPathId(event, 'user_id'), changes))
  })
}

/** `DELETE /admin/users/{user_id}` */
export function deleteUserByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, deleteUserByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const { soft = false } = await readInput(event, deleteUserByIdEndpoint)

    await deleteUser(ctx, admin, readPathId(event, 'user_id'), { soft })
    return {}
  })
}

/**
 * The order that a list is asked for in: `created_at`, alone (newest first) or with `asc` or `desc`. Of
 * several the first counts, since they all name the one field that there is.
 *
 * @param sorts as sent; empty ones count as missing.
 * @throws AuthError `validation_failed`
 */
function readSort(sorts: readonly string[]): 'asc' | 'desc' {
  const [first = 'desc'] = sorts.filter((sort) => sort !== '').map(readDirection)
  return first
}

function readDirection(sort: string): 'asc' | 'desc' {
  const [field, ...rest] = sort.split(' ')
  const direction = rest.join(' ').toLowerCase() || 'desc'
  if (field !== 'created_at') throw badSort(`bad field for sort '${field}'`)
  if (direction === 'asc' || direction === 'desc') return direction
  throw badSort(`bad direction for sort '${rest.join(' ')}', only 'asc' and 'desc' allowed`)
}

const badSort = (detail: string) => validationFailed(`Bad Sort Parameters: ${detail}`)
