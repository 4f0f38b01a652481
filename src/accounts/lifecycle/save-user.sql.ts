import type { Clock } from '../../platform/kit/clock.ts'
import { deleteSurplusRows } from '../../platform/sql/delete-rows.sql.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { noRows, type Rows, rowsOf, type TableFragments } from '../../platform/sql/tables.ts'
import type { TokenRows } from '../../platform/sql/token-rows.ts'
import type { OneTimeTokenPurpose } from '../one-time-tokens/one-time-token.entity.ts'
import { deleteSurplusTokens, deleteTokensOf } from '../one-time-tokens/one-time-tokens.sql.ts'
import { resumePasskeyOf, suspendPasskeysOf } from '../passkeys/passkeys.sql.ts'
import { deleteSurplusSessions } from '../sessions/delete-surplus-sessions.sql.ts'
import type { Session } from '../sessions/session.ts'
import { lowerSession } from '../sessions/session-assurance.sql.ts'
import { noSessionCeiling, type SessionCeiling } from '../sessions/session-limits.ts'
import { reportSessionsOf } from '../sessions/sessions.sql.ts'
import {
  contestAccounts,
  entriesAboutDeleted,
  releaseAddress,
} from '../users/competing-accounts.sql.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { isReclaimableCondition } from '../users/kept-address.ts'
import type { SignUpOrigin } from '../users/sign-up-origin.ts'
import type { User } from '../users/user.ts'
import { toRows } from '../users/user-row.ts'
import { deleteParts } from './end-parts.sql.ts'
import { type Ending, type EndingCause, endingOf } from './endings.ts'

/** The new state of an account, and the effects of the change. */
export interface UserSave {
  /** The account as it was read. */
  before: StoredUser
  after: User
  passwordHash: string | null
  /** The sign-up origin after the change. Default: unchanged. */
  signUpOrigin?: SignUpOrigin | null
  /** Whether a soft-deleted user is changed as well. */
  includesDeleted?: boolean
  /** A one-time token that this change consumes; without it nothing changes. */
  spentTokenId?: string
  /**
   * The session that requests this change, as it was checked. Once it has ended or has another
   * assurance, nothing changes. This covers the check of the step-up, too: the first verification
   * of a factor raises the session or ends it.
   */
  requestingSession?: Pick<Session, 'id' | 'aal' | 'amr'> | null
  /**
   * The causes by which parts of the account end, as `endings.ts` lists them. Causes that `before`
   * and `after` show are added.
   */
  causes?: readonly EndingCause[]
  /** The session that stays where the others end. Default: none. */
  keptSessionId?: string | null
  /** A purpose whose tokens all end, whatever else ends. */
  endedPurpose?: OneTimeTokenPurpose
  /** The passkey whose suspension ends. */
  resumedPasskeyId?: string | null
  /** Rows from `rowsOf`. */
  sessionRows?: Rows<'sessions'>
  /** Required with the rows of a session. */
  sessionCeiling?: SessionCeiling
  /** Without a refresh token, the stored one stays. */
  providerTokenRows?: Rows<'provider_tokens'>
  tokenRows?: TokenRows
  codeRows?: Rows<'authorization_codes'>
  messageRows?: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
  /**
   * Audit entries of the reclaimable accounts that are deleted because they have the new address,
   * as many as may be deleted: see `entriesAboutDeleted`. Null where such accounts keep it.
   */
  releasedRows: Rows<'audit_entries'> | null
}

/** The result of a change that was written. */
export interface SavedUser {
  /** The reclaimable accounts that were deleted. */
  deletedUserIds: readonly string[]
}

/**
 * Writes a changed account with all effects of the change, in one statement.
 *
 * The new state was computed from the state as read. It is written only if no other request has
 * changed the row since: each update of a user increases its `version`.
 *
 * @param strongMethods the methods in `amr` that a remaining session loses with the factors.
 * @returns null when the row has changed, the token is consumed or the session has ended; then
 *   nothing changes.
 * @throws AuthError `conflict` when another user has a new address.
 */
export async function saveUser(
  { sql, clock }: { sql: Queryable; clock: Clock },
  save: UserSave,
  strongMethods: readonly string[],
): Promise<SavedUser | null> {
  const { before, after } = save
  const ending = endingOf([...(save.causes ?? []), ...visibleCauses(save)])
  const [saved] = await sql.query(store, {
    userId: before.user.id,
    version: before.version,
    includesDeleted: save.includesDeleted ?? false,
    // Sessions that are deleted are reported by their deletion.
    isBan: setsBan(save) && ending.sessions === undefined,
    requestingSessionId: save.requestingSession?.id ?? null,
    requestingAssurance: save.requestingSession ? assuranceOf(save.requestingSession) : null,
    spentTokenId: save.spentTokenId ?? null,
    changes: JSON.stringify(changedColumns(save)),
    identityRows: rowsOf('identities', ...toRows(after, null, null).identities),
    ...endingValues(save, ending),
    reassignedEmail: reassigned(save, 'email'),
    reassignedPhone: reassigned(save, 'phone'),
    now: clock.now().toISOString(),
    releasedRows: save.releasedRows ?? noRows,
    strongMethods: JSON.stringify(strongMethods),
    resumedPasskeyId: save.resumedPasskeyId ?? null,
    sessionRows: save.sessionRows ?? noRows,
    sessionCeiling: ceilingOf(save),
    providerTokenRows: save.providerTokenRows ?? noRows,
    tokenRows: save.tokenRows ?? noRows,
    codeRows: save.codeRows ?? noRows,
    messageRows: save.messageRows ?? noRows,
    auditRows: save.auditRows,
  })
  return saved ? { deletedUserIds: saved.deleted } : null
}

/** Returns whether a change bans a user, or changes the end of a ban. */
export const setsBan = ({ before, after }: Pick<UserSave, 'before' | 'after'>): boolean =>
  after.bannedUntil !== null &&
  after.bannedUntil > after.updatedAt &&
  after.bannedUntil.getTime() !== before.user.bannedUntil?.getTime()

const assuranceOf = ({ aal, amr }: Pick<Session, 'aal' | 'amr'>): string =>
  JSON.stringify({ aal, amr })

function ceilingOf({ sessionRows, sessionCeiling }: UserSave): SessionCeiling {
  if (sessionCeiling) return sessionCeiling
  if (sessionRows) throw new TypeError('a session is opened without the ceiling of its user')
  return noSessionCeiling
}

/** Returns the causes that the difference between the account before and after shows. */
function visibleCauses({ before, after, passwordHash }: UserSave): EndingCause[] {
  const { user } = before
  return [
    ...(after.newEmail === user.newEmail ? [] : (['newEmailReplaced'] as const)),
    ...(after.newPhone === user.newPhone ? [] : (['newPhoneReplaced'] as const)),
    ...(passwordHash === before.passwordHash ? [] : (['passwordReplaced'] as const)),
  ]
}

const endingValues = (
  { after, keptSessionId = null, endedPurpose }: UserSave,
  { sessions, grants, consents, factors, passkeys, webAuthnChallenges, tokens = [], codes }: Ending,
) => ({
  endsSessions: sessions !== undefined,
  keptSessionId: sessions === 'others' ? keptSessionId : null,
  endsGrants: grants !== undefined,
  endsConsents: consents !== undefined,
  endsFactors: factors !== undefined,
  endsPasskeys: passkeys === 'all',
  passkeysSuspendedAt: passkeys === 'suspended' ? after.updatedAt.toISOString() : null,
  endsWebAuthnChallenges: webAuthnChallenges !== undefined,
  endsTokens: tokens === 'all',
  endedPurposes: `{${[...(tokens === 'all' ? [] : tokens), endedPurpose ?? []].flat().join()}}`,
  endsCodes: codes !== undefined,
})

/** Returns the new address that reclaimable accounts release; null where there is none. */
const reassigned = (
  { before, after, releasedRows }: UserSave,
  kind: 'email' | 'phone',
): string | null => (releasedRows && after[kind] !== before.user[kind] ? after[kind] : null)

/** Returns the columns whose values differ. The statement leaves the others unchanged. */
function changedColumns({
  before,
  after,
  passwordHash,
  signUpOrigin = before.signUpOrigin,
}: UserSave): Record<string, unknown> {
  const { row } = toRows(before.user, before.passwordHash, before.signUpOrigin)
  const old = new Map(Object.entries(row))
  const next = toRows(after, passwordHash, signUpOrigin)
  const changed = Object.entries(next.row).filter(
    ([column, value]) => JSON.stringify(value) !== JSON.stringify(old.get(column)),
  )
  // The version also covers added and removed identities: of two concurrent changes, none may be
  // overlooked.
  const isSame = idsOf(before.user) === idsOf(after)
  return { ...Object.fromEntries(changed), ...(!isSame && { updated_at: next.row.updated_at }) }
}

const idsOf = ({ identities }: User): string => identities.map(({ id }) => id).join()

type SaveParameters = ReturnType<typeof endingValues> & {
  userId: string
  version: number
  includesDeleted: boolean
  /** Whether the user is banned: no session ends, but each is reported as ended. */
  isBan: boolean
  requestingSessionId: string | null
  requestingAssurance: string | null
  spentTokenId: string | null
  changes: string
  identityRows: Rows<'identities'>
  reassignedEmail: string | null
  reassignedPhone: string | null
  now: string
  /** The audit entries of the accounts that released an address. */
  releasedRows: Rows<'audit_entries'>
  strongMethods: string
  resumedPasskeyId: string | null
  sessionRows: Rows<'sessions'>
  sessionCeiling: SessionCeiling
  providerTokenRows: Rows<'provider_tokens'>
  tokenRows: Rows<'one_time_tokens'>
  codeRows: Rows<'authorization_codes'>
  messageRows: Rows<'outbox_messages'>
  auditRows: Rows<'audit_entries'>
}

/** The maximum number of stored authorization codes per user. A further one replaces the oldest. */
export const maxAuthorizationCodes = 100

/** Returns the table of the stored tokens. */
const kept = (sql: TableFragments): string => sql.table('provider_tokens')

const store = statement<SaveParameters, { deleted: string[] }>(
  'save_user',
  (sql, $) => `
    with u as (
      select id from ${sql.table('users')}
      where id = ${$.userId} and version = ${$.version} and (${$.includesDeleted} or deleted_at is null) for update
    ), requesting as (
      select s.id from ${sql.table('sessions')} s join u on s.user_id = u.id
      where s.id = ${$.requestingSessionId} and s.revoked_at is null
        and jsonb_build_object('aal', s.aal, 'amr', s.amr) = ${$.requestingAssurance}::jsonb
      -- A weaker lock would not wait for a transaction that changes the assurance of the session.
      for share of s
    ), allowed as (
      select id from u where ${$.requestingSessionId}::uuid is null or exists (select from requesting)
    ), spent as (
      ${deleteTokensOf(sql, 'allowed', `t.id = ${$.spentTokenId}`)} returning t.id
    ), ok as (
      select id from allowed where ${$.spentTokenId}::uuid is null or exists (select from spent)
    ), ${deleteParts(sql, 'ok', {
      tokens: `(${$.endsTokens} or t.purpose = any(${$.endedPurposes}::text[]))
        and (${$.spentTokenId}::uuid is null or t.id <> ${$.spentTokenId})
        and not exists (select from jsonb_array_elements(${$.tokenRows}::jsonb) r
          where r ->> 'purpose' = t.purpose and r ->> 'requested_from' = t.requested_from)`,
      codes: $.endsCodes,
    })}, deleted as (
      delete from ${sql.table('users')} u using ok
      where (u.email = ${$.reassignedEmail} or u.phone = ${$.reassignedPhone}) and u.id <> ok.id and ${isReclaimableCondition('u', $.now)}
      returning u.id
    ), released_email as (
      ${releaseAddress(sql, 'email', `h.email = ${$.reassignedEmail} and h.id <> (select id from ok)`)}
      returning h.id
    ), released_phone as (
      ${releaseAddress(sql, 'phone', `h.phone = ${$.reassignedPhone} and h.id <> (select id from ok)`)}
      returning h.id
    ), released as (
      -- The updates below read this count, so that they run after the release: addresses are unique.
      select (select count(*) from deleted) + (select count(*) from released_email)
        + (select count(*) from released_phone) as holders
    ), contested as (
      ${contestAccounts(sql, $.tokenRows, '(select id from ok)')} and (select holders from released) is not null
    ), saved as (
      update ${sql.table('users')} u set ${sql.setColumns('users', 'u', $.changes)}
      from ok where u.id = ok.id and ${$.changes}::jsonb <> '{}'
        and (select holders from released) is not null
    ), kept_identities as (
      ${sql.insertRows('identities', $.identityRows)} where exists (select from ok)
      on conflict (id) do update set identity_data = excluded.identity_data, email = excluded.email,
        last_sign_in_at = excluded.last_sign_in_at, suspended_at = excluded.suspended_at,
        updated_at = excluded.updated_at
    ), dropped_identities as (
      delete from ${sql.table('identities')} i using ok
      where i.user_id = ok.id
        and i.id not in (select (r ->> 'id')::uuid from jsonb_array_elements(${$.identityRows}::jsonb) r)
    ), ${deleteParts(sql, 'ok', {
      sessions: `${$.endsSessions} and (${$.keptSessionId}::uuid is null or s.id <> ${$.keptSessionId})`,
      factors: $.endsFactors,
    })}, lowered as (
      ${lowerSession(sql, 'ok', {
        sessionId: $.keptSessionId,
        methods: `all (select jsonb_array_elements_text(${$.strongMethods}::jsonb))`,
        condition: $.endsFactors,
      })}
    ), suspended_passkeys as (
      ${suspendPasskeysOf(sql, 'ok', $.passkeysSuspendedAt)}
    ), resumed_passkey as (
      ${resumePasskeyOf(sql, 'ok', $.resumedPasskeyId)}
    ), ${deleteParts(sql, 'ok', {
      passkeys: $.endsPasskeys,
      webAuthnChallenges: $.endsWebAuthnChallenges,
      grants: $.endsGrants,
      consents: $.endsConsents,
    })}, ${reportSessionsOf(sql, 'ok', $.isBan)}, s as (
      ${sql.insertRows('sessions', $.sessionRows)} where exists (select from ok)
      returning user_id, oauth_client_id
    ), surplus as (
      ${deleteSurplusSessions(sql, 's', $.sessionCeiling)}
    ), p as (
      ${sql.insertRows('provider_tokens', $.providerTokenRows)} where exists (select from ok)
      on conflict (identity_id) do update set sealed_access_token = excluded.sealed_access_token,
        sealed_refresh_token = coalesce(excluded.sealed_refresh_token, ${kept(sql)}.sealed_refresh_token),
        expires_at = excluded.expires_at, scopes = excluded.scopes, updated_at = excluded.updated_at,
        renewing_until = case when excluded.sealed_refresh_token is null then ${kept(sql)}.renewing_until end
    ), surplus_tokens as (
      ${deleteSurplusTokens(sql, '(select id from ok)', $.tokenRows)}
    ), t as (
      ${sql.insertRows('one_time_tokens', $.tokenRows)} where exists (select from ok)
      ${sql.overwrite('one_time_tokens', 'user_id, purpose, requested_from')}
    ), surplus_codes as (
      ${deleteSurplusRows(sql, 'authorization_codes', {
        owner: 'user_id = (select id from ok)',
        most: maxAuthorizationCodes,
        inserted: `jsonb_array_length(${$.codeRows}::jsonb)`,
      })}
    ), c as (
      ${sql.insertRows('authorization_codes', $.codeRows)} where exists (select from ok)
    ), m as (
      ${sql.insertRows('outbox_messages', $.messageRows)} where exists (select from ok)
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from ok)
    ), deleted_entries as (
      ${sql.insertRows('audit_entries', entriesAboutDeleted($.releasedRows))}
    )
    select to_json(array(select id from deleted)) as deleted from ok`,
)
