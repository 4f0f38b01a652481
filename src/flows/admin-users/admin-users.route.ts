import type { H3, H3Event } from 'h3'
import { type Infer, object } from 'superstruct'
import type { Deps } from '../../deps.ts'
import { maxBodyBytes } from '../../http/body-limit.ts'
import { checkInput } from '../../http/check-input.ts'
import { Flag, Metadata, Text } from '../../http/inputs.ts'
import { answerJsonText, jsonList } from '../../http/json-text.ts'
import { openContext } from '../../http/open-context.ts'
import { createPageTurns, readPage, requireWholePage, setPageHeaders } from '../../http/paging.ts'
import { presentUser, presentUserRow } from '../../http/present-user.ts'
import { readJson, readOptionalJson } from '../../http/read-json.ts'
import { readBearer, readQuery } from '../../http/read-request.ts'
import { requireShort } from '../../kit/require-short.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { listUsersByPage } from './list-users-by-page.ts'
import { readSort } from './read-sort.ts'
import { requireUserById, requireUserId } from './require-user-by-id.ts'
import { updateUser } from './update-user.ts'

/** Body of the routes below, as it travels. */
const AdminUserBody = object({
  id: Text,
  aud: Text,
  role: Text,
  email: Text,
  phone: Text,
  password: Text,
  password_hash: Text,
  email_confirm: Flag,
  phone_confirm: Flag,
  user_metadata: Metadata,
  app_metadata: Metadata,
  ban_duration: Text,
})

/** `POST /admin/users`, and `POST /admin/users/{user_id}` where the path's id becomes the user's. */
export function createUserRoute(app: H3, deps: Deps): void {
  const create = async (event: H3Event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const pathId = event.context.params?.['user_id']
    const id = pathId === undefined ? undefined : requireUserId(pathId)
    const body = checkInput(await readJson(event, maxBodyBytes), AdminUserBody)

    const account = await createUser(ctx, admin, {
      ...changesOf(body),
      id: id ?? body.id,
      audience: body.aud,
      passwordHash: body.password_hash,
    })
    return presentUser(account)
  }
  app.post('/admin/users', create)
  app.post('/admin/users/:user_id', create)
}

/** `GET /admin/users`: the users of an audience by pages, the newest first. */
export function listUsersRoute(app: H3, deps: Deps): void {
  const inTurn = createPageTurns()
  app.get('/admin/users', async (event) => {
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
  app.get('/admin/users/:user_id', async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))

    return presentUser(await requireUserById(ctx, readUserId(event)))
  })
}

/** `PUT /admin/users/{user_id}` */
export function updateUserByIdRoute(app: H3, deps: Deps): void {
  app.put('/admin/users/:user_id', async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const body = checkInput(await readJson(event, maxBodyBytes), AdminUserBody)

    return presentUser(await updateUser(ctx, admin, readUserId(event), changesOf(body)))
  })
}

/** Body of the route below, which may be left out. */
const DeletionBody = object({ should_soft_delete: Flag })

/** `DELETE /admin/users/{user_id}` */
export function deleteUserByIdRoute(app: H3, deps: Deps): void {
  app.delete('/admin/users/:user_id', async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))
    const body = checkInput(await readOptionalJson(event), DeletionBody)

    const soft = body.should_soft_delete ?? false
    await deleteUser(ctx, admin, readUserId(event), { soft })
    return {}
  })
}

const readUserId = (event: H3Event): string => event.context.params?.['user_id'] ?? ''

const changesOf = (body: Infer<typeof AdminUserBody>) => ({
  role: body.role,
  email: body.email,
  phone: body.phone,
  password: body.password,
  emailConfirm: body.email_confirm,
  phoneConfirm: body.phone_confirm,
  userMetadata: body.user_metadata,
  appMetadata: body.app_metadata,
  banDuration: body.ban_duration,
})
