import { personalOauthStates } from '../../credentials/oauth-states/personal-oauth-states.ts'
import { personalMessages } from '../../delivery/outbox/personal-messages.ts'
import { personalLimits, personalPasswordAttempts } from '../../limits/personal-limits.ts'
import { personalEntries } from '../audit/personal-entries.ts'
import {
  personalChallenges,
  personalFactors,
  personalRecoveryCodes,
} from '../factors/personal-factors.ts'
import {
  personalAuthorizationCodes,
  personalOneTimeTokens,
} from '../one-time-tokens/personal-tokens.ts'
import { personalPasskeys, personalWebAuthnChallenges } from '../passkeys/personal-passkeys.ts'
import { personalImportedTokens, personalSessions } from '../sessions/personal-sessions.ts'
import {
  personalIdentities,
  personalImports,
  personalProviderTokens,
  personalUsers,
} from '../users/personal-users.ts'

/** The personal data tables except those of capabilities, by their names in an export. */
export const personalTables = {
  users: personalUsers,
  identities: personalIdentities,
  providerTokens: personalProviderTokens,
  imports: personalImports,
  sessions: personalSessions,
  importedTokens: personalImportedTokens,
  factors: personalFactors,
  challenges: personalChallenges,
  recoveryCodes: personalRecoveryCodes,
  passkeys: personalPasskeys,
  webAuthnChallenges: personalWebAuthnChallenges,
  oneTimeTokens: personalOneTimeTokens,
  authorizationCodes: personalAuthorizationCodes,
  oauthStates: personalOauthStates,
  messages: personalMessages,
  passwordAttempts: personalPasswordAttempts,
  limits: personalLimits,
  auditEntries: personalEntries,
}

/** The other tables, each with the reason why it contains no personal data. */
export const nonPersonalTables = {
  signing_keys: 'keys of the service',
  decisions: 'ids of requests and rules, for a day',
  imported_sessions: 'ids of sessions that are not imported again',
  imported_factors: 'ids of factors that are not imported again',
  imported_passkeys: 'ids of passkeys that are not imported again',
  spent_id_tokens: 'hashes of id tokens, which name no user',
  spent_wallet_messages: 'hashes of messages that wallets signed, which contain no user',
  latchkey_migrations: 'the applied migrations',
}
