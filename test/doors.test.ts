import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Which imports biome.json lets through in a file, and which it reports. */
const doors: Record<string, { open: string[]; shut: string[] }> = {
  'src/adapters/express.ts': {
    open: ['srvx/node', 'node:http', '../create-auth.ts'],
    shut: ['h3', '@mikro-orm/core', 'pino', '../kit/jws.ts'],
  },
  'src/adapters/nuxt/module.ts': {
    open: ['node:path', 'nuxt/kit', './nuxt-paths.ts'],
    shut: ['h3', '@nuxt/kit', '../../create-auth.ts', './runtime/server/mount.ts'],
  },
  'src/adapters/nuxt/runtime/server/mount.ts': {
    open: ['latchkey', 'latchkey/cookies', '#imports', '#latchkey/sessions', '../join-paths.ts'],
    shut: ['h3', 'nuxt/kit', '../../module.ts', '../../../../create-auth.ts'],
  },
  'src/adapters/nuxt/runtime/app/plugin.ts': {
    open: ['@supabase/auth-js', 'vue', 'latchkey/client', '#imports', './session-state.ts'],
    shut: ['latchkey', 'latchkey/cookies', 'node:path', '../server/mount.ts', '#latchkey/sessions'],
  },
  'src/cookie-sessions/open-session.ts': {
    open: ['cookie-es', 'node:crypto', '../create-auth.ts', '../http/a.ts', '../sessions/a.ts'],
    shut: ['h3', '../index.ts', '../adapters/node.ts', '../client/page-client.ts', '../kit/jws.ts'],
  },
  'src/client/page-client.ts': {
    open: ['cookie-es', './held-session.ts', '../cookie-sessions/cookie-names.ts'],
    shut: [
      'h3',
      'node:crypto',
      '@supabase/auth-js',
      '../create-auth.ts',
      '../cookie-sessions/session-cookie.ts',
      '../kit/digest.ts',
    ],
  },
  'src/standalone/cli.ts': {
    open: [
      'pino',
      'h3',
      'csv-parse/sync',
      'node:process',
      '../index.ts',
      '../persistence/migrate.ts',
    ],
    shut: ['oslo/otp', '@mikro-orm/core', '../kit/jws.ts'],
  },
  'src/create-auth.ts': {
    open: [
      'h3',
      './config/config.ts',
      './access-tokens/verify.ts',
      './runtime.ts',
      './deps.ts',
      './companion-door.ts',
    ],
    shut: [
      './users/user.entity.ts',
      './flows/token/issue.ts',
      './steps/authenticate-caller.ts',
      './persistence/migrate.ts',
      './create-app.ts',
      './kit/jws.ts',
      '@mikro-orm/core',
    ],
  },
  'src/runtime.ts': {
    open: ['./persistence/orm.ts', './create-app.ts', './flows/token/issue.ts'],
    shut: [
      './index.ts',
      './create-auth.ts',
      './adapters/node.ts',
      './cookie-sessions/a.ts',
      './standalone/cli.ts',
      'h3',
    ],
  },
  'src/create-app.ts': { open: ['h3', './flows/token/token.route.ts'], shut: ['pino'] },
  'src/api/auth-api.ts': {
    open: ['../flows/token/issue.ts', '../deps.ts'],
    shut: ['../index.ts', '../standalone/cli.ts', '../kit/jws.ts', 'h3', 'pino'],
  },
  'src/persistence/orm.ts': {
    open: ['@mikro-orm/postgresql', '@mikro-orm/pglite', '@electric-sql/pglite', '../users/a.ts'],
    shut: ['h3', 'oslo/crypto', '../create-auth.ts'],
  },
  'src/pages/layout/frame.ts': {
    open: ['h3', '../../http/a.ts'],
    shut: ['../../index.ts', 'pino'],
  },
  'src/flows/token/issue.ts': {
    open: [
      '../../steps/complete-sign-in.ts',
      '../../sessions/open.ts',
      '../../deps.ts',
      './grant.ts',
    ],
    shut: [
      '../sign-up/sign-up.ts',
      '../../flows/user/a.ts',
      '../../create-app.ts',
      '../../users/insert-user.sql.ts',
      '../../users/insert-users.sql.ts',
      'h3',
      'uqr',
    ],
  },
  'src/flows/token/token.route.ts': {
    open: [
      'h3',
      '../../http/a.ts',
      '../../guards/a.ts',
      '../../kit/a.ts',
      '../../steps/authenticate-caller.ts',
      './issue.ts',
    ],
    shut: ['../../users/a.ts', '../../steps/a.ts', '../user/user.route.ts', '@mikro-orm/core'],
  },
  'src/companions/subscribe-pages/page.ts': {
    open: ['h3', '../../steps/a.ts', '../../companion-door.ts', '../../../migrations/1-first.ts'],
    shut: ['../../flows/otp/a.ts', '../formatter-config/a.ts', '@mikro-orm/core'],
  },
  'src/companions/formatter-config/format-sql.ts': {
    open: ['sql-formatter', './load-config.ts', '../../config/nearest-name.ts', '../../kit/a.ts'],
    shut: [
      'h3',
      '../../config/config.ts',
      '../../steps/a.ts',
      '../../users/a.ts',
      '../../deps.ts',
      '../subscribe-pages/a.ts',
      '../../kit/jws.ts',
    ],
  },
  'src/companions/subscribe-pages/page.entity.ts': {
    open: [
      '@mikro-orm/core',
      '../../users/user.entity.ts',
      '../../sql/row-of.ts',
      './owner.entity.ts',
    ],
    shut: ['../../deps.ts', '../../steps/a.ts', '../formatter-config/a.ts', 'h3'],
  },
  'src/companion-door.ts': {
    open: ['./deps.ts', './persistence/migrations.ts', './steps/issue-session.ts'],
    shut: ['./runtime.ts', './persistence/migrate.ts', './companions/a/b.ts', 'h3'],
  },
  'src/steps/prove-address.ts': {
    open: ['./send-message.ts', '../users/find.ts', '../deps.ts'],
    shut: ['../flows/verify/verify.ts', '../api/a.ts', '../companions/a/b.ts', 'h3', 'oslo/crypto'],
  },
  'src/http/present-user.ts': {
    open: ['h3', '../users/user.entity.ts', '../deps.ts'],
    shut: ['../steps/a.ts', '../flows/user/a.ts', '../persistence/a.ts', '@mikro-orm/core'],
  },
  'src/guards/limit-client.ts': {
    open: ['h3', '../limits/take.ts'],
    shut: ['uqr', '../steps/a.ts', '../flows/user/a.ts'],
  },
  'src/deps.ts': {
    open: ['./config/config.ts', './messages/outbox.ts'],
    shut: ['@mikro-orm/postgresql', './steps/a.ts', './flows/a/b.ts', './runtime.ts', 'h3'],
  },
  'src/sessions/rotate.ts': {
    open: ['../users/user.entity.ts', '../kit/clock.ts', '../errors/auth-error.ts', 'node:crypto'],
    shut: [
      '../users/find.ts',
      '../passwords/hash.ts',
      '../deps.ts',
      '../http/a.ts',
      '../steps/a.ts',
      '../kit/jws.ts',
      '@mikro-orm/core',
      '@node-rs/argon2',
      'pg',
      'an-unheard-of-package/sub',
    ],
  },
  'src/moving-in/gotrue/find-users.ts': {
    open: [
      './source-layout.sql.ts',
      '../../kit/clock.ts',
      '../../users/user.ts',
      '../../steps/a.ts',
      'node:crypto',
    ],
    shut: [
      '../users/read-moved-user.ts',
      '../../flows/verify/a.ts',
      '../../persistence/a.ts',
      'pg',
    ],
  },
  'src/users/lock-user.sql.ts': {
    open: ['./user-row.ts', '../sql/queryable.ts'],
    shut: ['@mikro-orm/core', '../sessions/a.ts', '../deps.ts', 'h3'],
  },
  'src/messages/email/carrier.ts': {
    open: [
      '../outbox.ts',
      '../../kit/clock.ts',
      '../../users/user.entity.ts',
      'nodemailer',
      'htmlparser2',
    ],
    shut: ['../../users/find.ts', '../../deps.ts', 'h3', 'smtp-server'],
  },
  'src/messages/email/mails/invite.ts': {
    open: ['../mail.ts', '../../../kit/clock.ts'],
    shut: ['../../../users/find.ts', '../../../deps.ts', 'nodemailer'],
  },
  'src/messages/sms/carrier.ts': {
    open: ['../carrier.ts', '../../kit/safe-fetch.ts'],
    shut: ['nodemailer', '../../deps.ts'],
  },
  'src/sessions/session.entity.ts': {
    open: ['@mikro-orm/core', '../users/user.entity.ts'],
    shut: ['@mikro-orm/postgresql', '../factors/factor.entity.ts', 'h3'],
  },
  'src/access-tokens/verify.ts': {
    open: ['../kit/jws.ts', '../config/config.ts'],
    shut: ['../sessions/a.ts', '@mikro-orm/core', 'oslo/jwt'],
  },
  'src/passwords/hash.ts': { open: ['@node-rs/argon2', '../kit/a.ts'], shut: ['oslo/password'] },
  'src/factors/totp.ts': {
    open: ['uqr', '../kit/hotp.ts', '../users/user.entity.ts'],
    shut: ['oslo/otp', '@mikro-orm/core', '../users/user.ts', '../sessions/assurance.ts'],
  },
  'src/kit/random.ts': {
    open: ['oslo/crypto', 'oslo', 'ipaddr.js', './digest.ts', '../errors/auth-error.ts'],
    shut: ['../users/a.ts', '../deps.ts', '../http/a.ts', 'h3', 'node:process'],
  },
  'src/sql/queryable.ts': {
    open: ['./prefix-upper-bound.ts', '../kit/clock.ts', '../errors/auth-error.ts'],
    shut: ['../users/user.ts', '../persistence/a.ts', 'pg', 'h3'],
  },
  'src/config/settings/mail.ts': {
    open: ['../kinds.ts', '../../kit/duration.ts', '../../errors/config-error.ts'],
    shut: ['../../messages/a.ts', '../../kit/jws.ts', 'h3', 'oslo'],
  },
  'src/attic/box.ts': { open: ['./lid.ts'], shut: ['../kit/clock.ts', 'h3'] },
  'migrations/1-first.ts': {
    open: ['../src/persistence/migration.ts'],
    shut: ['../src/users/user.entity.ts', '@mikro-orm/migrations'],
  },
  'src/users/find.test.ts': { open: ['../../test/support/database.ts', 'pg', 'h3'], shut: [] },
}

/** Other ways to name a module; each of them goes through a shut door. */
const forms = [
  "await import('../sessions/open.ts')",
  "export * from '../sessions/open.ts'",
  "export { open } from '../sessions/open.ts'",
  "import type { Session } from '../sessions/session.entity.ts'",
]

/** How one file may lead to another: each leads back to the file that imports it. */
const waysRound = {
  value: "export { here } from './here.ts'",
  type: "import type { Here } from './here.ts'",
  'value, later': "export const here = () => import('./here.ts')",
  'declaration merging': "declare module './here.ts' {\n  interface Here {}\n}",
}

interface Finding {
  category: string
  message: string
  location: { path: string; start: { line: number } }
}

const house = mkdtempSync(join(tmpdir(), 'latchkey-doors-'))
const findings: Finding[] = []

const reported = (path: string, rule: string): number[] =>
  findings
    .filter((finding) => finding.location.path === path && finding.category.endsWith(`/${rule}`))
    .map((finding) => finding.location.start.line)
    .sort((a, b) => a - b)

function plant(path: string, lines: string[]): void {
  mkdirSync(join(house, dirname(path)), { recursive: true })
  writeFileSync(join(house, path), `${lines.join('\n')}\n`)
}

beforeAll(() => {
  copyFileSync(join(root, 'biome.json'), join(house, 'biome.json'))
  for (const [path, { open, shut }] of Object.entries(doors)) {
    plant(
      path,
      [...open, ...shut].map((specifier) => `import '${specifier}'`),
    )
  }
  plant('src/users/forms.ts', forms)
  for (const [way, line] of Object.entries(waysRound)) {
    plant(`src/kit/${way}/here.ts`, ["import './there.ts'"])
    plant(`src/kit/${way}/there.ts`, [line])
  }
  plant('src/kit/env.ts', ['export const home = process.env.HOME'])
  plant('src/standalone/env.ts', ['export const home = process.env.HOME'])
  for (const entry of readdirSync(join(root, 'src'), { withFileTypes: true })) {
    const path = entry.isDirectory() ? `src/${entry.name}/newcomer.ts` : `src/${entry.name}`
    if (!(path in doors)) plant(path, ["import './a/b.ts'"])
  }

  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const flags = ['--reporter=json', '--max-diagnostics=none']
  const run = spawnSync(process.execPath, [biome, 'lint', ...flags], { cwd: house })
  findings.push(...JSON.parse(run.stdout.toString()).diagnostics)
})

afterAll(() => rmSync(house, { recursive: true }))

describe('the doors between rooms', () => {
  it.each(Object.keys(doors))('hold for %s', (path) => {
    const { open, shut } = doors[path] ?? { open: [], shut: [] }
    const specifiers = [...open, ...shut]

    const refused = reported(path, 'noRestrictedImports').map((line) => specifiers[line - 1])

    expect(refused).toEqual(shut)
  })

  it('hold however a module is named', () => {
    expect(reported('src/users/forms.ts', 'noRestrictedImports')).toEqual([1, 2, 3, 4])
  })

  it.each(Object.keys(waysRound))('let nobody come round to where they were, by a %s', (way) => {
    expect(reported(`src/kit/${way}/here.ts`, 'noImportCycles')).toEqual([1])
    expect(reported(`src/kit/${way}/there.ts`, 'noImportCycles')).toEqual([1])
  })

  it('leave process.env to standalone/', () => {
    expect(reported('src/kit/env.ts', 'noProcessEnv')).toEqual([1])
    expect(reported('src/standalone/env.ts', 'noProcessEnv')).toEqual([])
  })

  it('are stated for every room that src/ has', () => {
    const unknown = findings.filter((finding) =>
      finding.message.includes('does not know this room'),
    )

    expect([...new Set(unknown.map((finding) => finding.location.path))]).toEqual([
      'src/attic/box.ts',
    ])
  })
})
