import { toExportedEntry } from '../../audit/personal-entries.ts'
import type { AuthContext } from '../../deps.ts'
import { exportRows, type Whose } from '../../sql/export-rows.sql.ts'
import { limitKeysOf } from '../../steps/limit-keys-of.ts'
import { personalTables as tables } from '../../steps/personal-tables.ts'
import { userNotFound } from '../../users/user-errors.ts'
import type {
  ExportedAuthorizationCode,
  ExportedChallenge,
  ExportedEntry,
  ExportedFactor,
  ExportedIdentity,
  ExportedMessage,
  ExportedOauthState,
  ExportedOneTimeToken,
  ExportedPasskey,
  ExportedPerson,
  ExportedProviderToken,
  ExportedRecoveryCode,
  ExportedSession,
  ExportedTrustedDevice,
  ExportedUser,
  ExportedWebAuthnChallenge,
} from './exported-person.ts'
import { requireUserId } from './require-user-by-id.ts'

/**
 * Everything that is stored about a person. What changes while it is read may show in one part alone.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404) when there is
 *   nothing, not even of somebody who was deleted.
 */
export async function exportUser(ctx: AuthContext, userId: string): Promise<ExportedPerson> {
  const person = await collect(ctx, requireUserId(userId))
  if (!person.user && person.auditEntries.length === 0) throw userNotFound()
  return person
}

async function collect(ctx: AuthContext, userId: string): Promise<ExportedPerson> {
  const { sql, clock } = ctx
  const own = { userId, keys: [] }
  const [user = null] = whole<ExportedUser>()(await exportRows(sql, tables.users, own))
  const sessions = whole<ExportedSession>()(await exportRows(sql, tables.sessions, own))
  const whose = { userId, keys: user ? limitKeysOf(limited(user, sessions)) : [] }
  return {
    exportedAt: clock.now().toISOString(),
    user,
    identities: whole<ExportedIdentity>()(await exportRows(sql, tables.identities, whose)),
    providerTokens: whole<ExportedProviderToken>()(
      await exportRows(sql, tables.providerTokens, whose),
    ),
    imports: await exportRows(sql, tables.imports, whose),
    sessions,
    importedTokens: await exportRows(sql, tables.importedTokens, whose),
    factors: whole<ExportedFactor>()(await exportRows(sql, tables.factors, whose)),
    challenges: whole<ExportedChallenge>()(await exportRows(sql, tables.challenges, whose)),
    recoveryCodes: whole<ExportedRecoveryCode>()(
      await exportRows(sql, tables.recoveryCodes, whose),
    ),
    passkeys: whole<ExportedPasskey>()(await exportRows(sql, tables.passkeys, whose)),
    webAuthnChallenges: whole<ExportedWebAuthnChallenge>()(
      await exportRows(sql, tables.webAuthnChallenges, whose),
    ),
    trustedDevices: whole<ExportedTrustedDevice>()(
      await exportRows(sql, tables.trustedDevices, whose),
    ),
    oneTimeTokens: whole<ExportedOneTimeToken>()(
      await exportRows(sql, tables.oneTimeTokens, whose),
    ),
    authorizationCodes: whole<ExportedAuthorizationCode>()(
      await exportRows(sql, tables.authorizationCodes, whose),
    ),
    oauthStates: whole<ExportedOauthState>()(await exportRows(sql, tables.oauthStates, whose)),
    messages: whole<ExportedMessage>()(await exportRows(sql, tables.messages, whose)),
    passwordAttempts: await exportRows(sql, tables.passwordAttempts, whose),
    limits: await exportRows(sql, tables.limits, whose),
    auditEntries: whole<ExportedEntry>()(
      (await exportRows(sql, tables.auditEntries, whose)).map(toExportedEntry),
    ),
    ...(await exportFromCompanions(ctx, whose)),
  }
}

/** Nothing, not even an empty object, where there is no companion. */
async function exportFromCompanions(
  { sql, companionTables }: AuthContext,
  whose: Whose,
): Promise<Pick<ExportedPerson, 'companions'>> {
  const all = Object.entries(await companionTables())
  if (all.length === 0) return {}
  const companions: Record<string, Record<string, unknown>[]> = {}
  for (const [name, table] of all) companions[name] = await exportRows(sql, table, whose)
  return { companions }
}

const limited = (user: ExportedUser, sessions: ExportedPerson['sessions']) => ({
  id: user.id,
  audience: user.audience,
  emails: [user.email, user.newEmail].filter((value) => value !== null),
  phones: [user.phone, user.newPhone].filter((value) => value !== null),
  ips: sessions.flatMap(({ ip }) => ip ?? []),
})

/** Rows of which the published type names every column: one that it lacks does not compile. */
const whole =
  <Published>() =>
  <Row extends Published>(
    rows: [Exclude<keyof Row, keyof Published>] extends [never] ? Row[] : never,
  ): Published[] =>
    rows
