import { object } from 'superstruct'
import type { Deps } from '../deps.ts'
import { createUser } from '../flows/admin-users/create-user.ts'
import { requireUserById } from '../flows/admin-users/require-user-by-id.ts'
import { updateUser } from '../flows/admin-users/update-user.ts'
import type { NewUser, UserChanges } from '../flows/admin-users/user-input.ts'
import { generateLink } from '../flows/generate-link/generate-link.ts'
import { invite } from '../flows/invite/invite.ts'
import { Flag, Metadata, Text } from '../http/inputs.ts'
import type { AdminApi, GenerateLinkInput, InviteUserInput } from './admin-api.ts'
import { openCall } from './call-options.ts'
import { asRedirect, type Fields, readInput } from './read-input.ts'

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

const InviteUser = object({
  ...{ email: Text, data: Metadata, redirectTo: Text },
} satisfies Fields<InviteUserInput>)

const GenerateLink = object({
  ...{ type: Text, email: Text, newEmail: Text, password: Text, data: Metadata },
  ...{ redirectTo: Text, sendEmail: Flag },
} satisfies Fields<GenerateLinkInput>)

/** Who acts, in the audit log, when the host's own code does. */
const hostCode = { role: 'host' }

/** The methods of `auth.admin`: each reads its input, opens a context and calls its flow. */
export const createAdminApi = (deps: Deps): AdminApi => ({
  createUser: async (input, options) =>
    createUser(openCall(deps, options), hostCode, readInput(input, CreateUser)),
  getUser: async (userId, options) => requireUserById(openCall(deps, options), userId),
  updateUser: async (userId, input, options) =>
    updateUser(openCall(deps, options), hostCode, userId, readInput(input, Changes)),
  inviteUser: async (input, options) =>
    invite(openCall(deps, options), hostCode, asRedirect(readInput(input, InviteUser))),
  generateLink: async (input, options) =>
    generateLink(openCall(deps, options), hostCode, asRedirect(readInput(input, GenerateLink))),
})
