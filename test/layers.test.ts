import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { violationsIn, violationsOfAll } from '../scripts/check-layers.mjs'

const imports = (specifier: string) => `import { one } from '${specifier}'`

describe('the layers of src/', () => {
  it('hold for every file', () => {
    expect(violationsOfAll()).toEqual([])
  })

  it('are at most twelve entries', () => {
    expect(readdirSync(join(import.meta.dirname, '../src')).length).toBeLessThanOrEqual(12)
  })

  it.each([
    ['platform/sql/statement.ts', '../../accounts/users/user.ts'],
    ['accounts/users/user.ts', '../sessions/session.ts'],
    ['accounts/factors/totp.ts', '../passkeys/passkey.ts'],
    ['accounts/sessions/session.ts', '../../endpoints/token/refresh-session.ts'],
    ['endpoints/token/refresh-session.ts', '../sign-out/sign-out.route.ts'],
    ['endpoints/token/refresh-session.ts', '../../service/runtime.ts'],
    ['import/users/import-users.ts', '../gotrue/import-gotrue.ts'],
    ['service/runtime.ts', '../hosts/adapters/node.ts'],
    ['capabilities/subscribe-pages/page.ts', '../formatter-config/format-sql.ts'],
    ['capabilities/formatter-config/format-sql.ts', '../../accounts/users/user.ts'],
    ['capabilities/subscribe-pages/page.ts', '../../service/runtime.ts'],
    ['capabilities/oauth-server/clients/manage-clients.ts', '../token/refresh-tokens.ts'],
    ['capabilities/oauth-server/grants/grants.ts', '../authorize/consent.ts'],
    ['capabilities/oauth-server/other/other.ts', '../token/refresh-tokens.ts'],
    ['capabilities/some/some.terms.ts', '../../accounts/users/user.ts'],
    ['platform/config/settings.ts', '../../capabilities/some/some.terms.ts'],
    ['hosts/client/page-client.ts', '../../platform/kit/digest.ts'],
    ['service/create-auth.ts', '../endpoints/token/refresh-session.ts'],
    ['accounts/sessions/session.ts', '../../platform/kit/jws.ts'],
    ['endpoints/invite/invite.route.ts', '../../accounts/users/insert-user.sql.ts'],
    ['unknown/box.ts', '../platform/kit/clock.ts'],
  ])('reject that %s imports %s', (file, specifier) => {
    expect(violationsIn(file, imports(specifier))).toHaveLength(1)
  })

  it.each([
    ['accounts/sessions/session.ts', '../users/user.ts'],
    ['accounts/users/user.ts', '../auth-context.ts'],
    ['endpoints/token/refresh-session.ts', '../../accounts/sessions/session.ts'],
    ['endpoints/token/token.route.ts', '../http/serve-endpoint.ts'],
    ['capabilities/subscribe-pages/page.ts', '../../endpoints/http/open-context.ts'],
    ['capabilities/oauth-server/token/refresh-tokens.ts', '../clients/client-credentials.ts'],
    ['capabilities/oauth-server/grants/grants.sql.ts', '../personal-oauth.ts'],
    ['capabilities/oauth-server/routes.ts', './token/token.route.ts'],
    ['standalone/cli.ts', '../capabilities/formatter-config/sql.ts'],
    ['service/capabilities.ts', '../capabilities/subscribe-pages/capability.ts'],
    ['capabilities/some/some.terms.ts', '../../platform/config/setting.ts'],
    ['platform/capability-terms.ts', '../capabilities/some/some.terms.ts'],
    ['credentials/access-tokens/verify.ts', '../../platform/kit/jws.ts'],
    ['hosts/client/page-client.ts', '../cookie-sessions/cookie-names.ts'],
  ])('accept that %s imports %s', (file, specifier) => {
    expect(violationsIn(file, imports(specifier))).toEqual([])
  })

  it.each([
    ['endpoints/token/refresh-session.ts', 'h3'],
    ['accounts/users/find-user.sql.ts', '@mikro-orm/core'],
    ['platform/kit/env.ts', 'node:process'],
    ['accounts/users/user.ts', 'a-package-that-is-not-listed/sub'],
    ['hosts/client/page-client.ts', 'node:crypto'],
  ])('reject that %s imports the package %s', (file, name) => {
    expect(violationsIn(file, imports(name))).toHaveLength(1)
  })

  it.each([
    ['endpoints/token/token.route.ts', 'h3'],
    ['accounts/users/user.entity.ts', '@mikro-orm/core'],
    ['standalone/settings/environment.ts', 'node:process'],
    ['accounts/users/user.ts', 'node:crypto'],
  ])('accept that %s imports the package %s', (file, name) => {
    expect(violationsIn(file, imports(name))).toEqual([])
  })

  it.each([
    "const later = await import('../sessions/session.ts')",
    "export * from '../sessions/session.ts'",
    "import type { Session } from '../sessions/session.ts'",
    "declare module '../sessions/session.ts' {\n  interface Session {}\n}",
    "import {\n  one,\n} from '../sessions/session.ts'",
  ])('find the import in %j', (text) => {
    expect(violationsIn('accounts/users/user.ts', text)).toHaveLength(1)
  })
})
