import { object } from 'superstruct'
import type { Deps } from '../deps.ts'
import { listAudit } from '../flows/admin-audit/list-audit.ts'
import type { ListAuditInput } from '../flows/admin-audit/list-audit-input.ts'
import { banUser, unbanUser } from '../flows/admin-users/ban-user.ts'
import { createUser } from '../flows/admin-users/create-user.ts'
import { deleteUser } from '../flows/admin-users/delete-user.ts'
import { eraseUser } from '../flows/admin-users/erase-user.ts'
import { exportUser } from '../flows/admin-users/export-user.ts'
import { findUser, type UnreadLookUp } from '../flows/admin-users/find-user.ts'
import { listUsers } from '../flows/admin-users/list-users.ts'
import type { ListUsersInput } from '../flows/admin-users/list-users-input.ts'
import { requireUserById } from '../flows/admin-users/require-user-by-id.ts'
import { updateUser } from '../flows/admin-users/update-user.ts'
import { deleteFactor, listFactors } from '../flows/admin-users/user-factors.ts'
import type { NewUser, UserChanges } from '../flows/admin-users/user-input.ts'
import {
  listUserSessions,
  revokeUserSession,
  signOutUser,
} from '../flows/admin-users/user-sessions.ts'
import { generateLink } from '../flows/generate-link/generate-link.ts'
import { importUsers, type SourceRecord } from '../flows/import-users/import-users.ts'
import { invite } from '../flows/invite/invite.ts'
import { Flag, Metadata, Text, Whole } from '../http/inputs.ts'
import type { Admin } from '../steps/authenticate-admin.ts'
import type {
  AdminApi,
  BanInput,
  DeleteUserInput,
  GenerateLinkInput,
  InviteUserInput,
} from './admin-api.ts'
import { openCall } from './call-options.ts'
import { asRedirect, type Fields, readInput } from './read-input.ts'
import { readUserToImport } from './user-to-import.ts'

const changes = {
  role: Text,
  email: Text,
  phone: Text,
  password: Text,
  emailConfirm: Flag,
  phoneConfirm: Flag,
  userMetadata: Metadata,
  appMetadata: Metadata,
  banDuration: Text,
}
const Changes = object(changes satisfies Fields<UserChanges>)
const CreateUser = object({
  ...{ ...changes, id: Text, audience: Text, passwordHash: Text },
} satisfies Fields<NewUser>)

const FindUser = object({
  ...{ id: Text, email: Text, phone: Text, identity: Metadata },
} satisfies Fields<UnreadLookUp>)

const keyPage = { limit: Whole, cursor: Text }
const ListUsers = object({
  ...{ ...keyPage, filter: Text, emailPrefix: Text, order: Text, audience: Text },
} satisfies Fields<ListUsersInput>)
const ListAudit = object({
  ...{ ...keyPage, query: Text, actorId: Text, userId: Text },
  ...{ action: Text, since: Text, until: Text },
} satisfies Fields<ListAuditInput>)

const BanUser = object({ duration: Text } satisfies Fields<BanInput>)
const DeleteUser = object({ soft: Flag } satisfies Fields<DeleteUserInput>)

const InviteUser = object({
  ...{ email: Text, data: Metadata, redirectTo: Text },
} satisfies Fields<InviteUserInput>)

const GenerateLink = object({
  ...{ type: Text, email: Text, newEmail: Text, password: Text, data: Metadata },
  ...{ redirectTo: Text, sendEmail: Flag },
} satisfies Fields<GenerateLinkInput>)

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
    createUser(openCall(deps, options), admin, readInput(input, CreateUser)),
  getUser: async (userId, options) => requireUserById(openCall(deps, options), userId),
  findUser: async (lookUp, options) =>
    findUser(openCall(deps, options), readInput(lookUp, FindUser)),
  listUsers: async (input = {}, options) =>
    listUsers(openCall(deps, options), readInput(input, ListUsers)),
  updateUser: async (userId, input, options) =>
    updateUser(openCall(deps, options), admin, userId, readInput(input, Changes)),
  deleteUser: async (userId, input = {}, options) => {
    const { soft = false } = readInput(input, DeleteUser)
    return deleteUser(openCall(deps, options), admin, userId, { soft })
  },
  exportUser: async (userId, options) => exportUser(openCall(deps, options), userId),
  eraseUser: async (userId, options) => eraseUser(openCall(deps, options), admin, userId),
  banUser: async (userId, input = {}, options) => {
    const { duration } = readInput(input, BanUser)
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
  listAudit: async (input = {}, options) =>
    listAudit(openCall(deps, options), readInput(input, ListAudit)),
  importUsers: async (source, input = {}, options) =>
    importUsers(openCall(deps, options), admin, positioned(source), input),
  inviteUser: async (input, options) =>
    invite(openCall(deps, options), admin, asRedirect(readInput(input, InviteUser))),
  generateLink: async (input, options) =>
    generateLink(openCall(deps, options), admin, asRedirect(readInput(input, GenerateLink))),
})
