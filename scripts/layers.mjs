// The layers of src/, from the top down, and the packages that each folder may load. This is the
// only declaration of the direction of imports: `npm run lint` and test/layers.test.ts check every
// import against it.

/**
 * A folder may import lower layers, and the folders before it in its own layer. Folders in one
 * string are siblings: they do not import each other. A file belongs to the longest one that
 * contains it.
 */
export const layers = [
  {
    name: 'platform',
    folders: ['platform'],
  },
  {
    name: 'accounts, credentials, delivery, limits',
    folders: [
      'limits/captcha limits/redirects',
      'accounts/users',
      'accounts/audit',
      'accounts/decisions',
      'accounts/one-time-tokens',
      'accounts/sessions',
      'accounts/factors accounts/passkeys',
      'credentials/access-tokens credentials/external credentials/oauth-states credentials/passwords credentials/wallets credentials/webauthn',
      'limits',
      'delivery/carriers',
      'delivery/mail delivery/sms delivery/hooks',
      'delivery/outbox',
      'delivery/messages',
      'accounts/sign-in',
      'accounts/callers accounts/acts',
      'accounts/addresses',
      'accounts/lifecycle',
      'accounts/external-sign-in',
      'accounts/create-context.ts',
    ],
  },
  {
    name: 'endpoints, import',
    folders: ['endpoints/http', 'endpoints/* import/*'],
  },
  {
    name: 'capabilities',
    folders: ['capabilities/capability.ts', 'capabilities/capability-host.ts', 'capabilities/*'],
  },
  {
    name: 'service',
    folders: [
      'service/api/call-options.ts service/api/lazily.ts service/api/step-up.ts',
      'service/api/read-input.ts service/api/oauth-api.ts',
      'service/api/auth-api.ts service/api/admin-api.ts service/api/outbox-api.ts service/api/viewer.ts',
      'service/api/session-service.ts',
      'service/api/pages-service.ts',
      // Sessions in cookies are a part of the pages. The public interface to them is above.
      'hosts/cookie-sessions',
      'service/pages/html.ts service/pages/confirm-link/confirm-texts.ts',
      'service/pages/page-answer.ts',
      'capabilities/pages',
      'service/doctor',
      'capabilities/console',
      'service',
    ],
  },
  {
    name: 'public API, hosts, standalone',
    folders: [
      'hosts/cookie-sessions/cookie-sessions.ts',
      'hosts/cookie-sessions/create-cookie-sessions.ts',
      'index.ts hosts',
      'standalone',
    ],
  },
]

/** Files that every folder of their layer may import: types that belong to the whole layer. */
export const sharedFiles = ['accounts/auth-context.ts', 'accounts/request-facts.ts']

/**
 * The folders inside a folder. Each may import those before it; folders in one string are siblings.
 * The files beside them are exempt: they serve all, as the entities do, or compose all, as the
 * descriptor does.
 */
export const inner = {
  'capabilities/oauth-server': [
    'protocol',
    'clients',
    'authorize grants metadata',
    'device logout',
    'token',
    'userinfo',
  ],
}

/**
 * Files of the platform inside folders of capabilities, by their suffix. They contain settings,
 * error codes and other terms. They import the platform only, and within it only `lists` import
 * them.
 */
export const terms = {
  suffix: '.terms.ts',
  lists: ['platform/capability-terms.ts', 'platform/config/capability-settings.ts'],
}

/**
 * The only places that may import a package. A place is a folder, a file, or the end of a file
 * name.
 */
export const packages = {
  '@electric-sql/pglite': ['service/persistence'],
  '@electric-sql/pglite-prepopulatedfs': ['service/persistence'],
  '@grpc/grpc-js': ['platform/observability/opentelemetry'],
  '@mikro-orm': ['service/persistence', '.entity.ts', 'platform/sql/row-of.ts'],
  '@node-rs/argon2': ['credentials/passwords'],
  '@node-rs/bcrypt': ['credentials/passwords'],
  '@noble/curves': ['credentials/wallets'],
  '@noble/hashes': ['credentials/wallets'],
  '@opentelemetry': ['platform/observability/opentelemetry'],
  '@scure/base': ['credentials/wallets'],
  '@simplewebauthn/server': ['credentials/webauthn'],
  '@supabase/auth-js': ['hosts/adapters/nuxt/runtime', 'hosts/components'],
  '@zxcvbn-ts': ['credentials/passwords'],
  arctic: ['credentials/external'],
  bowser: ['platform/kit'],
  'cookie-es': ['hosts/cookie-sessions', 'hosts/client'],
  'csv-parse': ['standalone'],
  h3: ['.route.ts', 'endpoints/http', 'platform/http', 'service', 'standalone', 'capabilities'],
  htmlparser2: ['delivery/mail'],
  'ipaddr.js': ['platform/kit'],
  kysely: ['service/persistence', 'hosts/transactions'],
  // In applications of Nuxt, which import the package by its name.
  latchkey: ['hosts/adapters/nuxt/runtime'],
  nodemailer: ['delivery/mail'],
  nuxt: ['hosts/adapters/nuxt'],
  'node:process': ['standalone'],
  oslo: ['platform/kit'],
  pg: ['service/persistence'],
  pino: ['standalone'],
  react: ['hosts/components/react.ts'],
  redis: ['limits'],
  semver: ['standalone'],
  'sql-formatter': ['capabilities/formatter-config'],
  srvx: ['hosts/adapters'],
  superstruct: ['platform/http'],
  svelte: ['hosts/components/svelte'],
  unstorage: ['credentials/external/protocol'],
  unhomoglyph: ['accounts/users'],
  uqr: ['accounts/factors'],
  vue: ['hosts/adapters/nuxt/runtime', 'hosts/components/vue.ts'],
}

/** Places that may import the listed paths and packages only. Paths are relative to src/. */
export const closed = [
  {
    place: 'hosts/verify',
    may: ['hosts/verify', 'credentials/access-tokens/claims.ts'],
    because: 'runtimes without Node load it',
  },
  {
    place: 'hosts/client',
    may: [
      'hosts/client',
      'hosts/cookie-sessions/cookie-names.ts',
      'hosts/cookie-sessions/request-session.ts',
      'platform/kit/is-record.ts',
      'cookie-es',
    ],
    because: 'browsers load it',
  },
  {
    place: 'hosts/components',
    may: ['hosts/components', '*.svelte', '@supabase/auth-js', 'react', 'svelte', 'vue'],
    because: 'browsers load it',
  },
  {
    place: 'hosts/adapters/nuxt/runtime/app',
    may: [
      'hosts/adapters/nuxt/runtime/app',
      'hosts/adapters/nuxt/runtime/join-paths.ts',
      '@supabase/auth-js',
      'vue',
      'latchkey/client',
      'latchkey/vue',
      '#imports',
      '#latchkey/options',
    ],
    because: 'browsers load it',
  },
  {
    place: 'hosts/adapters/nuxt/runtime',
    may: [
      'hosts/adapters/nuxt/runtime',
      '@supabase/auth-js',
      'vue',
      'latchkey',
      '#imports',
      '#latchkey',
      'node:',
    ],
    because: 'Nuxt bundles it into applications',
  },
  {
    place: 'service/create-auth.ts',
    may: [
      'service/request-handlers.ts',
      'service/lazy-runtime.ts',
      'platform',
      'credentials/access-tokens',
      'service/api',
      'accounts/auth-context.ts',
      'capabilities/capability.ts',
      'capabilities/capability-host.ts',
      'service/runtime.ts',
      'service/world.ts',
      'h3',
      'node:',
    ],
    because: "`import 'latchkey'` loads it: the rest is one import of runtime.ts",
  },
  {
    place: 'service/request-handlers.ts',
    may: ['service/lazy-runtime.ts', 'platform', 'limits/watch-peers.ts'],
    because: "`import 'latchkey'` loads it",
  },
  {
    place: 'service/endpoints.ts',
    may: ['endpoints/http', '.route.ts', 'service/capabilities.ts'],
    because: 'it lists the endpoints',
  },
  {
    place: 'capabilities/formatter-config',
    may: [
      'capabilities/formatter-config',
      'platform/config/nearest-name.ts',
      'platform/kit',
      'sql-formatter',
      'node:',
    ],
    because: 'the formatter does not depend on authentication',
  },
]

/** Files that only some places may import. */
export const restricted = [
  {
    file: 'platform/kit/jws.ts',
    to: ['credentials/access-tokens', 'credentials/external/protocol', 'capabilities/oauth-server'],
  },
  // The recorder completes what it makes.
  { file: 'accounts/audit/audit-note.ts', to: ['accounts/acts'] },
  { file: 'accounts/audit/insert-audit-entries.sql.ts', to: ['accounts/acts'] },
  {
    file: 'accounts/users/insert-user.sql.ts',
    to: ['accounts/lifecycle/create-user.ts', 'accounts/users'],
  },
]
