import { personalEntries } from '../audit/personal-entries.ts'
import { personalLimits, personalPasswordAttempts } from '../limits/personal-limits.ts'
import { personalMessages } from '../messages/outbox/personal-messages.ts'
import {
  personalAuthorizationCodes,
  personalOneTimeTokens,
} from '../one-time-tokens/personal-tokens.ts'
import { personalSessions } from '../sessions/personal-sessions.ts'
import { personalIdentities, personalUsers } from '../users/personal-users.ts'

/** All tables that store something about people, under the names that an export has for them. */
export const personalTables = {
  users: personalUsers,
  identities: personalIdentities,
  sessions: personalSessions,
  oneTimeTokens: personalOneTimeTokens,
  authorizationCodes: personalAuthorizationCodes,
  messages: personalMessages,
  passwordAttempts: personalPasswordAttempts,
  limits: personalLimits,
  auditEntries: personalEntries,
}

/** The other tables, and why there is nobody in them. */
export const impersonalTables = {
  signing_keys: 'keys of the service',
  latchkey_migrations: 'the steps that the schema has taken',
}
