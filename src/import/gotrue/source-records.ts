import { parseInstant } from '../../platform/kit/time-formats.ts'

/**
 * Rows of GoTrue, in PostgreSQL's JSON. A member that may be undefined is a column that older
 * layouts lack.
 */
export interface SourceUser {
  user: UserRecord
  identities: IdentityRecord[]
  factors: FactorRecord[]
  passkeys: PasskeyRecord[]
  sessions: SessionRecord[]
  /** The number of older sessions that were not read. */
  sessionsLeft: number
}

type Text = string | null | undefined

export interface UserRecord {
  id: string
  aud?: Text
  role?: Text
  email?: Text
  phone?: Text
  encrypted_password?: Text
  email_confirmed_at?: Text
  phone_confirmed_at?: Text
  invited_at?: Text
  confirmation_sent_at?: Text
  recovery_sent_at?: Text
  email_change?: Text
  email_change_sent_at?: Text
  phone_change?: Text
  phone_change_sent_at?: Text
  reauthentication_sent_at?: Text
  last_sign_in_at?: Text
  raw_app_meta_data?: unknown
  raw_user_meta_data?: unknown
  is_sso_user?: boolean
  is_anonymous?: boolean
  banned_until?: Text
  deleted_at?: Text
  created_at?: Text
  updated_at?: Text
}

export interface IdentityRecord {
  /** In older layouts the provider's id, which later ones store in `provider_id`. */
  id: string
  provider_id?: string
  provider: string
  identity_data: unknown
  last_sign_in_at?: Text
  created_at?: Text
  updated_at?: Text
}

export interface FactorRecord {
  id: string
  friendly_name?: Text
  factor_type: 'totp' | 'phone' | 'webauthn'
  status: 'unverified' | 'verified'
  secret?: Text
  phone?: Text
  last_challenged_at?: Text
  web_authn_credential?: unknown
  web_authn_aaguid?: Text
  created_at: string
  updated_at: string
}

export interface PasskeyRecord {
  id: string
  /** Bytes, like the key: `\\x` and hexadecimal digits. */
  credential_id?: Text
  /** In COSE. */
  public_key?: Text
  /** The format, despite its name. */
  attestation_type?: Text
  aaguid?: Text
  sign_count?: number | null
  transports?: unknown
  backup_eligible?: boolean | null
  backed_up?: boolean | null
  friendly_name?: Text
  created_at?: Text
  updated_at?: Text
  last_used_at?: Text
}

export interface SessionRecord {
  id: string
  user_id: string
  factor_id?: Text
  not_after?: Text
  /** In UTC, without an offset. */
  refreshed_at?: Text
  user_agent?: Text
  ip?: Text
  tag?: Text
  oauth_client_id?: Text
  refresh_token_hmac_key?: Text
  refresh_token_counter?: number | null
  created_at?: Text
  amr: { authentication_method: string; updated_at: string }[]
  /** The live refresh tokens, and the one that the newest of them replaced. */
  tokens: string[]
  /** When the newest live token was last written. */
  tokens_updated_at: Text
}

const earliest = new Date(0)
const latest = new Date('9999-12-31T23:59:59.999Z')

/**
 * Parses a point in time in PostgreSQL's JSON. Values outside the representable years become the
 * first or last of them: a ban until `infinity` must remain in effect.
 */
export function readSourceInstant(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null
  const isZoned = /(Z|[+-]\d\d(:?\d\d){0,2})$/.test(text)
  const at = parseInstant(isZoned ? text : `${text}Z`)
  if (at) return at
  return text.startsWith('-') || text.endsWith('BC') ? earliest : latest
}

/** Returns an instant of the source as text, for rows; null where it has none. */
export const readInstantText = (text: string | null | undefined): string | null =>
  readSourceInstant(text)?.toISOString() ?? null

/**
 * The time of a factor or passkey without a readable one: it counts as older than all events here.
 */
export const missingInstant = new Date(0).toISOString()
