import { presentUser, presentUserRow } from '../../accounts/users/present-user.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { answerJsonText, jsonList } from '../../platform/http/answer.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import {
  createPageSemaphore,
  keyPageFields,
  readPage,
  requireWholePage,
  setPageHeaders,
} from '../../platform/http/paging.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { requireShort } from '../../platform/kit/storable-text.ts'
import type { Kinds } from '../http/endpoint.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import {
  createUserEndpoint,
  createUserWithIdEndpoint,
  deleteUserByIdEndpoint,
  getUserByIdEndpoint,
  type ListUsersInput,
  listUsersEndpoint,
  updateUserByIdEndpoint,
} from './admin-users.endpoint.ts'
import { createUserAsOperator } from './create-user-as-operator.ts'
import { deleteUser } from './delete-user.ts'
import { requireUserById, requireUserId } from './find-user.ts'
import { listUsers, listUsersByPage } from './list-users.ts'
import { updateUserAsOperator } from './update-user-as-operator.ts'

export const adminUsersRoutes = [
  implementSeparately(listUsersEndpoint, {
    handle: () => {
      const inTurn = createPageSemaphore()
      return async ({ ctx, event }) => {
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
      }
    },
    fields: fields({
      ...keyPageFields,
      filter: Text,
      emailPrefix: Text,
      order: Text,
      audience: Text,
      count: Text,
    } satisfies Required<Kinds<ListUsersInput>>),
    run: ({ ctx, input }) => listUsers(ctx, input),
  }),
  implement(createUserEndpoint, {
    run: ({ ctx, admin, input }) => createUserAsOperator(ctx, admin, input),
    present: presentUser,
  }),
  // The id in the path is that of the new user.
  implement(createUserWithIdEndpoint, {
    run: ({ ctx, admin, ids, input }) =>
      createUserAsOperator(ctx, admin, { ...input, id: requireUserId(ids.userId) }),
    present: presentUser,
  }),
  implement(getUserByIdEndpoint, {
    run: ({ ctx, ids }) => requireUserById(ctx, ids.userId),
    present: presentUser,
  }),
  implement(updateUserByIdEndpoint, {
    run: ({ ctx, admin, ids, input }) => updateUserAsOperator(ctx, admin, ids.userId, input),
    present: presentUser,
  }),
  implement(deleteUserByIdEndpoint, {
    run: ({ ctx, admin, ids, input: { soft = false } }) =>
      deleteUser(ctx, admin, ids.userId, { soft }),
    present: () => ({}),
  }),
] as const

/**
 * Reads the order of a list: `created_at`, alone (newest first) or with `asc` or `desc`. With
 * several values, the first has effect, because all name the same field.
 *
 * @param sorts as sent. Empty values are ignored.
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
