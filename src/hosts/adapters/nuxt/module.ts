import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { NitroConfig, Nuxt } from 'nuxt/kit'

/** `latchkey: { … }` in `nuxt.config.ts`. */
export interface LatchkeyOptions {
  /**
   * The file that creates the service: its default export is a function that returns the result of
   * `createCookieSessions`. Default `server/latchkey.ts`.
   */
  service?: string
  /** The mount path of the service, below `app.baseURL`. Default `/auth`. */
  basePath?: string
  /** The prefix of the cookies' names, as in `createCookieSessions`. Default `latchkey`. */
  name?: string
  /**
   * The page to which the middleware `auth` redirects visitors without a session. Default
   * `/sign-in`.
   */
  signInPath?: string
  /**
   * The page to which the middleware `guest` redirects signed-in users without another target.
   * Default `/`.
   */
  homePath?: string
}

/** A module in Nuxt's form. */
export interface LatchkeyModule {
  // biome-ignore lint/suspicious/noConfusingVoidType: as in Nuxt.
  (this: void, options: LatchkeyOptions, nuxt: unknown): Promise<false | void>
  getOptions?: (options?: Partial<LatchkeyOptions>, nuxt?: unknown) => Promise<LatchkeyOptions>
  getMeta?: () => Promise<{ name: string; configKey: string }>
}

const vueComponents = 'latchkey/vue'

const meta = { name: 'latchkey', configKey: 'latchkey', compatibility: { nuxt: '^4.1.0' } }

const defaults: Required<LatchkeyOptions> = {
  service: '',
  basePath: '/auth',
  name: 'latchkey',
  signInPath: '/sign-in',
  homePath: '/',
}

/**
 * The package's folder. Its runtime files are bundled, since they import modules that Nuxt
 * generates.
 */
const packageFolder = fileURLToPath(new URL('../../../..', import.meta.url)).replaceAll('\\', '/')
const runtimeFolder = fileURLToPath(new URL('./runtime/', import.meta.url)).replaceAll('\\', '/')

/** Path of the runtime folder within the package. */
const runtimePath = runtimeFolder.slice(packageFolder.length)

const runtimeFile = (path: string): string => `${runtimeFolder}${path}.js`

/** Nuxt's kit is loaded on demand: other programs that import this file do not have it. */
const loadModule = async (): Promise<LatchkeyModule> =>
  (await import('nuxt/kit')).defineNuxtModule({ meta, defaults, setup: setUp })

/**
 * A Nuxt module for Latchkey: `modules: ['latchkey/nuxt']`. See `docs/hosts.md`.
 *
 * @throws Error during the build, for invalid options.
 */
const latchkeyModule: LatchkeyModule = async (options, nuxt) => (await loadModule())(options, nuxt)
latchkeyModule.getMeta = async () => meta
latchkeyModule.getOptions = async (options, nuxt) =>
  (await (await loadModule()).getOptions?.(options, nuxt)) ?? {}
export default latchkeyModule

async function setUp(given: Required<LatchkeyOptions>, nuxt: Nuxt): Promise<void> {
  const kit = await import('nuxt/kit')
  const options = checkOptions(given)
  const service = await findService(options, nuxt)

  const template = kit.addTemplate({
    filename: 'latchkey.mjs',
    // The server loads it from there as well.
    write: true,
    getContents: () => `export default ${JSON.stringify(options)}\n`,
  })
  nuxt.options.alias['#latchkey/options'] = template.dst
  nuxt.hook('nitro:config', (config) => {
    config.alias = { ...config.alias, '#latchkey/sessions': service }
    leaveOutOfBundle(config)
    rejectCaching(config, options.basePath)
  })

  kit.addServerHandler({
    route: `${options.basePath}/**`,
    handler: runtimeFile('server/mount'),
  })
  kit.addServerPlugin(runtimeFile('server/plugin'))
  kit.addServerImports([
    { name: 'openSession', from: runtimeFile('server/open-session') },
    { name: 'requireUser', from: runtimeFile('server/open-session') },
    { name: 'useAuth', from: runtimeFile('server/sessions') },
  ])

  kit.addPlugin(runtimeFile('app/plugin'))
  kit.addRouteMiddleware([
    { name: 'auth', path: runtimeFile('app/auth') },
    { name: 'guest', path: runtimeFile('app/guest') },
  ])
  const own = ['useAuthClient', 'useRedirectPath']
  kit.addImports(own.map((name) => ({ name, from: runtimeFile('app/composables') })))
  const composables = ['useAuth', 'useAuthPages', 'useSession', 'useUser']
  kit.addImports(composables.map((name) => ({ name, from: vueComponents })))
  for (const name of ['SignedIn', 'SignedOut'])
    kit.addComponent({ name, export: name, filePath: vueComponents })
  // `vite dev` would discover it while the first page loads, and reload that page.
  nuxt.options.vite.optimizeDeps = {
    ...nuxt.options.vite.optimizeDeps,
    include: [...(nuxt.options.vite.optimizeDeps?.include ?? []), '@supabase/auth-js'],
  }
}

function checkOptions(options: Required<LatchkeyOptions>): Required<LatchkeyOptions> {
  for (const name of ['basePath', 'signInPath', 'homePath'] as const)
    if (!/^\/(?![/\\])[^?#\\]*$/.test(options[name]))
      throw new Error(`latchkey.${name}: must be a path, such as ${defaults[name]}`)
  const basePath = options.basePath.replace(/\/+$/, '')
  if (basePath === '') throw new Error('latchkey.basePath: must be a separate path, such as /auth')
  return { ...options, basePath }
}

async function findService({ service }: LatchkeyOptions, nuxt: Nuxt): Promise<string> {
  const { findPath, getLayerDirectories, resolvePath } = await import('nuxt/kit')
  const paths = service
    ? [isAbsolute(service) ? service : await resolvePath(service)]
    : getLayerDirectories().map(({ server }) => join(server, 'latchkey'))
  const found = await findPath(paths)
  // `nuxt prepare` runs while packages are installed, before the file is written.
  if (found === null && !nuxt.options._prepare)
    throw new Error(
      `latchkey: ${service || 'server/latchkey.ts'} does not exist, see docs/hosts.md`,
    )
  return found ?? (paths[0] as string)
}

/**
 * Excludes the package from the bundle, except files that import from Nuxt. Nuxt bundles packages
 * that contain a module, but hashing threads load files of Latchkey, and native packages are found
 * by their location.
 */
function leaveOutOfBundle(config: NitroConfig): void {
  // Components must have the same Vue as the pages.
  const isBundled = (id: string): boolean =>
    id === vueComponents || id.endsWith('/hosts/components/vue.js')
  const isOutside = (id: string): boolean =>
    !isBundled(id) &&
    (/^latchkey(\/|$)/.test(id) ||
      ((id.startsWith(packageFolder) || id.includes('/node_modules/latchkey/')) &&
        !id.includes(`/${runtimePath}`)))
  config.externals = {
    ...config.externals,
    external: [...(config.externals?.external ?? []), isOutside],
  }
}

/**
 * Rejects route rules that cache responses of the service: Nitro would send them to other users.
 */
function rejectCaching(config: NitroConfig, basePath: string): void {
  const own = `${basePath}/**`
  for (const [path, rules] of Object.entries(config.routeRules ?? {})) {
    const isBelow = path === basePath || path.startsWith(`${basePath}/`)
    const rule = ['cache', 'swr', 'isr', 'static', 'prerender'].find((name) => rules[name])
    if (isBelow && rule)
      throw new Error(`routeRules['${path}'].${rule}: responses of Latchkey must not be cached`)
  }
  const off = { cache: false, isr: false, prerender: false }
  config.routeRules = {
    ...config.routeRules,
    [own]: { ...config.routeRules?.[own], ...off },
  }
}
