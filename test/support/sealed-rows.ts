import { randomUUID } from 'node:crypto'
import type { RootKeys } from '../../src/platform/kit/derived-keys.ts'
import { seal } from '../../src/platform/kit/sealed-box.ts'
import { sealedColumns } from '../../src/service/sealed-rows.ts'

type Run = (text: string, values?: unknown[]) => Promise<unknown>

const some: Record<string, string> = {
  factors: `insert into auth.factors (id, user_id, factor_type, status, secret, created_at, updated_at)
    select r.id, r.user_id, 'totp', 'verified', r.secret, now(), now()`,
  provider_tokens: `insert into auth.provider_tokens
      (identity_id, sealed_access_token, sealed_refresh_token, created_at, updated_at)
    select r.id, r.sealed_access_token, r.sealed_refresh_token, now(), now()`,
  signing_keys: `insert into auth.signing_keys (id, algorithm, public_jwk, private_jwk, signs_from, created_at)
    select r.id, 'ES256', '{}', r.private_jwk, now(), now()`,
  outbox_messages: `insert into auth.outbox_messages
      (id, channel, kind, recipient, body, status, attempts, next_attempt_at, created_at)
    select r.id, 'email', 'recovery', 'ada@example.test', r.body, 'waiting', 0, now() + interval '1 day', now()`,
  oauth_states: `insert into auth.oauth_states
      (id, provider, redirect_to, redirect_uri, audience, proved_identity, expires_at, created_at)
    select r.id, 'github', '', '', '', r.proved_identity, now() + interval '1 day', now()`,
  custom_providers: `insert into auth.custom_providers
      (id, identifier, slot, provider_type, name, client_id, sealed_client_secret, acceptable_client_ids, scopes,
        pkce_enabled, attribute_mapping, custom_claims_allowlist, authorization_params, enabled, email_optional,
        skip_nonce_check, created_at, updated_at)
    select r.id, 'custom:' || r.id, (select coalesce(max(slot), 0) from auth.custom_providers) + row_number() over (),
      'oauth2', 'Club', 'client', r.sealed_client_secret, '[]', '[]', true, '{}', '[]', '{}', true, false, false, now(), now()`,
  authorization_codes: `insert into auth.authorization_codes
      (id, user_id, code_hash, code_challenge, code_challenge_method, method, sealed_tokens, expires_at, created_at)
    select r.id, r.user_id, repeat(md5(r.id::text), 2), '', 's256', 'oauth', r.sealed_tokens,
      now() + interval '1 day', now()`,
}

/**
 * Stores rows in each table with sealed values. A value is `text of ` and the name of its column.
 */
export async function storeSealedRows(run: Run, roots: RootKeys, count: number): Promise<void> {
  const tables = [...new Set(sealedColumns.map(({ table }) => table))]
  const ids = Array.from({ length: count }, () => ({ id: randomUUID(), user_id: randomUUID() }))
  await run(
    `insert into auth.users
        (id, audience, role, app_metadata, user_metadata, is_anonymous, is_sso_user, created_at, updated_at)
      select user_id, 'authenticated', 'authenticated', '{}', '{}', false, false, now(), now()
      from jsonb_to_recordset($1::jsonb) r (user_id uuid)`,
    [JSON.stringify(ids)],
  )
  await run(
    `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      select id, user_id, 'github', id::text, '{}', now(), now()
      from jsonb_to_recordset($1::jsonb) r (id uuid, user_id uuid)`,
    [JSON.stringify(ids)],
  )
  for (const table of tables) {
    const columns = sealedColumns.filter((column) => column.table === table)
    const rows = ids.map((row) => ({
      ...row,
      ...Object.fromEntries(
        columns.map(({ boxOf, column, name }) => [
          column,
          seal(roots, boxOf?.(row.id) ?? row.id, `text of ${name}`),
        ]),
      ),
    }))
    const fields = columns.map(({ column }) => `, ${column} text`).join('')
    await run(
      `${some[table]} from jsonb_to_recordset($1::jsonb) r (id uuid, user_id uuid${fields})`,
      [JSON.stringify(rows)],
    )
  }
}
