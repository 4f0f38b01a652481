import type { Deps } from '../deps.ts'
import { listAudit } from '../flows/admin-audit/list-audit.ts'
import type { ListAuditInput } from '../flows/admin-audit/list-audit-input.ts'
import { explainRequest } from '../flows/admin-decisions/explain-request.ts'
import {
  type CreateUserInput,
  createUserEndpoint,
  type DeleteUserInput,
  deleteUserByIdEndpoint,
  type UpdateUserInput,
  updateUserByIdEndpoint,
} from '../flows/admin-users/admin-users.endpoint.ts'
import { banUser, unbanUser } from '../flows/admin-users/ban-user.ts'
import { createUserAsOperator } from '../flows/admin-users/create-user-as-operator.ts'
import { deleteUser } from '../flows/admin-users/delete-user.ts'
import { eraseUser } from '../flows/admin-users/erase-user.ts'
import { exportUser } from '../flows/admin-users/export-user.ts'
import { findUser } from '../flows/admin-users/find-user.ts'
import { listUsers } from '../flows/admin-users/list-users.ts'
import type { ListUsersInput } from '../flows/admin-users/list-users-input.ts'
import { requireUserById } from '../flows/admin-users/require-user-by-id.ts'
import { updateUser } from '../flows/admin-users/update-user.ts'
import { deleteFactor, getRecoveryCodes, listFactors } from '../flows/admin-users/user-factors.ts'
import { listUserPasskeys, removeUserPasskey } from '../flows/admin-users/user-passkeys.ts'
import {
  listUserSessions,
  revokeUserSession,
  signOutUser,
} from '../flows/admin-users/user-sessions.ts'
import {
  listUserTrustedDevices,
  removeUserTrustedDevice,
} from '../flows/admin-users/user-trusted-devices.ts'
import {
  type GenerateLinkInput,
  generateLinkEndpoint,
} from '../flows/generate-link/generate-link.endpoint.ts'
import { generateLink } from '../flows/generate-link/generate-link.ts'
import { type InviteUserInput, inviteEndpoint } from '../flows/invite/invite.endpoint.ts'
import { invite } from '../flows/invite/invite.ts'
import { getProviderToken } from '../flows/provider-tokens/get-provider-token.ts'
import type { Kinds } from '../http/endpoint.ts'
import { fields, Metadata, Text, Whole } from '../http/inputs.ts'
import { importUsers, type SourceRecord } from '../moving-in/users/import-users.ts'
import type { Admin } from '../steps/authenticate-admin.ts'
import type { AdminApi, BanUserInput } from './admin-api.ts'
import { openCall } from './call-options.ts'
import { inputReader, readInput } from './read-input.ts'
import { readUserToImport } from './user-to-import.ts'

const read = {
  createUser: inputReader<CreateUserInput, typeof createUserEndpoint>(createUserEndpoint),
  updateUser: inputReader<UpdateUserInput, typeof updateUserByIdEndpoint>(updateUserByIdEndpoint),
  deleteUser: inputReader<DeleteUserInput, typeof deleteUserByIdEndpoint>(deleteUserByIdEndpoint),
  inviteUser: inputReader<InviteUserInput, typeof inviteEndpoint>(inviteEndpoint),
  generateLink: inputReader<GenerateLinkInput, typeof generateLinkEndpoint>(generateLinkEndpoint),
}

/** The inputs of methods that no endpoint is the twin of. */
const lookUpFields = fields({ id: Text, email: Text, phone: Text, identity: Metadata })
const providerTokenFields = fields({ userId: Text, provider: Text })
const banFields = fields({ duration: Text } satisfies Kinds<BanUserInput>)
const keyPage = { limit: Whole, cursor: Text }
const userListFields = fields({
  ...keyPage,
  filter: Text,
  emailPrefix: Text,
  order: Text,
  audience: Text,
} satisfies Required<Kinds<ListUsersInput>>)
const auditListFields = fields({
  ...keyPage,
  query: Text,
  actorId: Text,
  userId: Text,
  action: Text,
  since: Text,
  until: Text,
} satisfies Record<keyof ListAuditInput, unknown>)

/** Who acts, in the audit log, when the host's own code does. */
const hostCode: Admin = { role: 'host' }

/** The records of a source that is at hand, by their position. */
async function* positioned(
  source: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<SourceRecord> {
  let place = 0
  for await (const record of source) {
    yield { place, read: () => readUserToImport(record, 'code') }
    place += 1
  }
}

/**
 * The methods of `auth.admin`: each reads its input, opens a context and calls its flow.
 *
 * @param admin who acts.
 */
export const createAdminApi = (deps: Deps, admin: Admin = hostCode): AdminApi => ({
  createUser: async (input, options) =>
    createUserAsOperator(openCall(deps, options), admin, read.createUser(input)),
  getUser: async (userId, options) => requireUserById(openCall(deps, options), userId),
  findUser: async (lookUp, options) =>
    findUser(openCall(deps, options), readInput(lookUp, lookUpFields)),
  listUsers: async (input = {}, options) =>
    listUsers(openCall(deps, options), readInput(input, userListFields)),
  updateUser: async (userId, input, options) =>
    updateUser(openCall(deps, options), admin, userId, read.updateUser(input)),
  deleteUser: async (userId, input = {}, options) => {
    const { soft = false } = read.deleteUser(input)
    return deleteUser(openCall(deps, options), admin, userId, { soft })
  },
  exportUser: async (userId, options) => exportUser(openCall(deps, options), userId),
  eraseUser: async (userId, options) => eraseUser(openCall(deps, options), admin, userId),
  banUser: async (userId, input = {}, options) => {
    const { duration } = readInput(input, banFields)
    return banUser(openCall(deps, options), admin, userId, duration)
  },
  unbanUser: async (userId, options) => unbanUser(openCall(deps, options), admin, userId),
  signOut: async (userId, options) => signOutUser(openCall(deps, options), admin, userId),
  listSessions: async (userId, options) => listUserSessions(openCall(deps, options), userId),
  revokeSession: async (userId, sessionId, options) =>
    revokeUserSession(openCall(deps, options), admin, userId, sessionId),
  listFactors: async (userId, options) => listFactors(openCall(deps, options), userId),
  deleteFactor: async (userId, factorId, options) => {
    await deleteFactor(openCall(deps, options), admin, { userId, factorId })
  },
  getRecoveryCodes: async (userId, options) => getRecoveryCodes(openCall(deps, options), userId),
  getProviderToken: async (input, options) => {
    const { userId = '', provider = '' } = readInput(input, providerTokenFields)
    const ctx = openCall(deps, options)
    return getProviderToken(ctx, await requireUserById(ctx, userId), provider)
  },
  listPasskeys: async (userId, options) => listUserPasskeys(openCall(deps, options), userId),
  deletePasskey: async (userId, passkeyId, options) =>
    removeUserPasskey(openCall(deps, options), admin, { userId, passkeyId }),
  listTrustedDevices: async (userId, options) =>
    listUserTrustedDevices(openCall(deps, options), userId),
  deleteTrustedDevice: async (userId, deviceId, options) =>
    removeUserTrustedDevice(openCall(deps, options), admin, { userId, deviceId }),
  listAudit: async (input = {}, options) =>
    listAudit(openCall(deps, options), readInput(input, auditListFields)),
  explain: async (requestId, options) => explainRequest(openCall(deps, options), requestId),
  importUsers: async (source, input = {}, options) =>
    importUsers(openCall(deps, options), admin, positioned(source), input),
  inviteUser: async (input, options) =>
    invite(openCall(deps, options), admin, read.inviteUser(input)),
  generateLink: async (input, options) =>
    generateLink(openCall(deps, options), admin, read.generateLink(input)),
})
