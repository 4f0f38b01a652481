import { readStandardClaims } from '../../credentials/external/profile.ts'
import type {
  ExternalProfile,
  JsonReader,
} from '../../platform/config/sections/provider-definition.ts'
import type { CustomProviderRow } from './custom-provider-row.ts'

/** Targets of a mapping that determine the account: their source is always a claim. */
export const accountTargets: readonly string[] = ['sub', 'email']

/** Targets that a mapping cannot set: they are rights, or facts that the service determines. */
export const forbiddenTargets: readonly string[] = [
  'id',
  'aud',
  'role',
  'app_metadata',
  'created_at',
  'updated_at',
  'confirmed_at',
  'email_confirmed_at',
  'phone_confirmed_at',
  'email_verified',
  'phone_verified',
  'banned_until',
  'is_super_admin',
  'iss',
  'provider_id',
  'linking_domain',
  'custom_claims',
]

type Mapping = Pick<CustomProviderRow, 'attribute_mapping' | 'custom_claims_allowlist'>

/**
 * Reads a profile by the standard claims, then by the mapping of the provider. A source in text is
 * the name of a claim; any other value is a constant.
 *
 * `email_verified` of the provider is about its `email`. It holds for a mapped address only where
 * the provider has no `email`.
 */
export function readMappedClaims(
  { attribute_mapping: mapping, custom_claims_allowlist: allowed }: Mapping,
  claims: JsonReader,
): ExternalProfile {
  const profile = readStandardClaims(claims, claims.value('sub') === undefined ? 'id' : 'sub')
  const { sub, email, ...others } = mapping
  const mapped = Object.entries(others).map(([target, source]) => [
    target,
    typeof source === 'string' ? claims.value(source) : source,
  ])
  const custom = allowed.flatMap((name) => {
    const value = claims.value(name)
    return value === undefined || value === null ? [] : [[name, value]]
  })
  return {
    subject: typeof sub === 'string' ? claims.text(sub) : profile.subject,
    emails: typeof email === 'string' ? emailsOf(claims, email) : profile.emails,
    claims: {
      ...profile.claims,
      ...Object.fromEntries(mapped),
      ...(custom.length > 0 && { custom_claims: Object.fromEntries(custom) }),
    },
  }
}

function emailsOf(claims: JsonReader, source: string): ExternalProfile['emails'] {
  const address = claims.text(source)
  const email = claims.value('email')
  const isDescribed = source === 'email' || email === undefined || email === address
  return address === null
    ? []
    : [{ address, isVerified: isDescribed && claims.isTrue('email_verified') }]
}
