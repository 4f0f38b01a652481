import type { Deps } from '../../accounts/auth-context.ts'
import { type Admin, hostCode } from '../../accounts/callers/authenticate-admin.ts'
import { explainRequest, explainRequests } from '../../endpoints/admin-decisions/explain-request.ts'
import { banUser, unbanUser } from '../../endpoints/admin-users/ban-user.ts'
import { eraseUser } from '../../endpoints/admin-users/delete-user.ts'
import { exportUserForOperator } from '../../endpoints/admin-users/export-user.ts'
import { findUser, requireUserById } from '../../endpoints/admin-users/find-user.ts'
import type { Kinds } from '../../endpoints/http/endpoint.ts'
import { getProviderToken } from '../../endpoints/provider-tokens/get-provider-token.ts'
import type { SourceRecord } from '../../import/users/import-users.ts'
import { fields, Metadata, Text } from '../../platform/http/inputs.ts'
import type { AdminApi, BanUserInput } from './admin-api.ts'
import { openCall } from './call-options.ts'
import { derivedMethods } from './derived-methods.ts'
import { type FlatMethods, inGroups } from './lazily.ts'
import { readInput } from './read-input.ts'

/** The use cases of grants, which are loaded by the first call. */
const grants = () => import('../../capabilities/oauth-server/grants/grants.ts')

/** The inputs of methods that only code has. */
const lookUpFields = fields({
  id: Text,
  email: Text,
  phone: Text,
  username: Text,
  audience: Text,
  identity: Metadata,
})
const providerTokenFields = fields({ userId: Text, provider: Text })
const banFields = fields({ duration: Text, reason: Text } satisfies Kinds<BanUserInput>)

/** Yields the records of a source with their position. */
async function* positioned(
  source: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<SourceRecord> {
  const { readUserToImport } = await import('./user-to-import.ts')
  let place = 0
  for await (const record of source) {
    yield { place, read: () => readUserToImport(record, 'code') }
    place += 1
  }
}

/**
 * Returns `auth.admin`: the methods of endpoints, and the methods that only code has.
 *
 * @param admin the operator.
 */
export const createAdminApi = (deps: Deps, admin: Admin = hostCode): AdminApi =>
  inGroups<AdminApi>(methodsBy(deps, admin))

const methodsBy = (deps: Deps, admin: Admin): FlatMethods<AdminApi> => ({
  ...derivedMethods<FlatMethods<AdminApi>, 'auth.admin'>(deps, 'auth.admin', admin),
  findUser: async (lookUp, options) =>
    findUser(openCall(deps, options), readInput(lookUp, lookUpFields)),
  exportUser: async (userId, options) =>
    exportUserForOperator(openCall(deps, options), admin, userId),
  eraseUser: async (userId, options) => eraseUser(openCall(deps, options), admin, userId),
  banUser: async (userId, input = {}, options) => {
    const ban = readInput(input, banFields)
    return banUser(openCall(deps, options), admin, userId, ban)
  },
  unbanUser: async (userId, options) => unbanUser(openCall(deps, options), admin, userId),
  getProviderToken: async (input, options) => {
    const { userId = '', provider = '' } = readInput(input, providerTokenFields)
    const ctx = openCall(deps, options)
    return getProviderToken(ctx, await requireUserById(ctx, userId), provider)
  },
  'oauth.listGrants': async (userId, options) => {
    const ctx = openCall(deps, options)
    const { listGrants } = await grants()
    return listGrants(ctx, userId)
  },
  'oauth.revokeGrant': async (userId, clientId, options) => {
    const ctx = openCall(deps, options)
    const { endGrant } = await grants()
    return endGrant(ctx, admin, { userId, clientId })
  },
  explain: async (requests, options) => {
    const ctx = openCall(deps, options)
    return Array.isArray(requests) ? explainRequests(ctx, requests) : explainRequest(ctx, requests)
  },
  importUsers: async (source, input = {}, options) => {
    const ctx = openCall(deps, options)
    const { importUsers } = await import('../../import/users/import-users.ts')
    const { withCodeNames } = await import('./user-to-import.ts')
    return importUsers(ctx, admin, positioned(source), input, { renamed: withCodeNames })
  },
})
