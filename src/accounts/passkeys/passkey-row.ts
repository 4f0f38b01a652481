import type { RowOf } from '../../platform/sql/row-of.ts'
import type { PasskeyEntity } from './passkey.entity.ts'
import type { Passkey } from './passkey.ts'
import type { WebAuthnChallenge } from './web-authn-challenge.entity.ts'

export type PasskeyRow = RowOf<PasskeyEntity>

export type WebAuthnChallengeRow = RowOf<WebAuthnChallenge>

/** The columns of a passkey that users see, as PostgreSQL writes them in JSON. */
export type ShownPasskey = Pick<
  PasskeyRow,
  'id' | 'friendly_name' | 'created_at' | 'last_used_at' | 'suspended_at'
>

export const toPasskey = (row: ShownPasskey): Passkey => ({
  id: row.id,
  friendlyName: row.friendly_name,
  createdAt: new Date(row.created_at),
  lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
  suspendedAt: row.suspended_at === null ? null : new Date(row.suspended_at),
})

/** Returns an expression for a row of `passkeys`, in the form that {@link toPasskey} reads. */
export const shownPasskey = (row: string): string =>
  `json_build_object('id', ${row}.id, 'friendly_name', ${row}.friendly_name,
    'created_at', ${row}.created_at, 'last_used_at', ${row}.last_used_at,
    'suspended_at', ${row}.suspended_at)`
