import type { Config } from '../../platform/config/config.ts'
import { boolean } from '../../platform/config/parsers/choices.ts'
import { fails, type Parser, reads } from '../../platform/config/parsers/parser.ts'
import { redirectTargets } from '../../platform/config/parsers/redirect-targets.ts'
import { text } from '../../platform/config/parsers/texts.ts'
import { origin, urlOrPath, webUrl } from '../../platform/config/parsers/urls.ts'
import type { Given } from '../../platform/config/read-settings.ts'
import type { Rule } from '../../platform/config/rules/rule.ts'
import { live } from '../../platform/config/setting.ts'
import { isLoopbackHost } from '../../platform/kit/ip-address.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { pathBelow } from '../../platform/kit/trailing-slashes.ts'
import type { PageTexts } from './pages.terms.ts'

/** A value of CSS that cannot end its declaration. */
const cssValue: Parser<string, string> = {
  name: 'CSS value',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) =>
    typeof given === 'string' && /^[\w#%.,()\s/-]{1,100}$/.test(given)
      ? reads(given)
      : fails('must be a value of CSS such as #2b50d8 or light-dark(#2b50d8, #8ea6ff)'),
}

const textsByLanguage: Parser<Readonly<Record<string, PageTexts>>, Record<string, PageTexts>> = {
  name: 'texts',
  emptyMeansAbsent: true,
  parse: () => fails('can be set in code only'),
  check: (given) => {
    const isRight =
      isRecord(given) &&
      Object.values(given).every(
        (texts) =>
          isRecord(texts) && Object.values(texts).every((value) => typeof value === 'string'),
      )
    return isRight
      ? reads(given as Record<string, PageTexts>)
      : fails("must map languages to texts: { en: { 'signIn.heading': 'Welcome back' } }")
  },
}

const theme = (name: 'accent' | 'accentText' | 'background' | 'surface' | 'text' | 'radius') => ({
  env: `PAGES_THEME_${name === 'accentText' ? 'ACCENT_TEXT' : name.toUpperCase()}`,
  parser: cssValue,
  default: null,
  defaultText: 'that of the built-in style',
})

const replaced = (env: string, page: string) => ({
  env: `PAGES_${env}`,
  parser: urlOrPath,
  default: null,
  defaultText: 'the built-in page',
  description: `Path on the site, or URL, of the application's own page for ${page}.`,
})

export const settingsTitle = 'Pages'

export const settings = [
  live('pages.enabled', {
    env: 'PAGES_ENABLED',
    parser: boolean,
    default: false,
    defaultText: 'no; in development yes, where their other settings permit it',
    description: 'Sign-in and account pages below the mount: `docs/pages.md`.',
  }),
  live('pages.origin', {
    env: 'PAGES_ORIGIN',
    parser: origin,
    defaultText: 'the origin of `externalUrl`',
    description: 'Origin of the pages, with TLS; in development also a loopback origin without.',
  }),
  live('pages.name', {
    env: 'PAGES_NAME',
    parser: text,
    default: null,
    defaultText: 'the name of `email.from`, else the host of `siteUrl`',
    description: 'Name of the application on the pages.',
  }),
  live('pages.logoUrl', {
    env: 'PAGES_LOGO_URL',
    parser: webUrl,
    default: null,
    defaultText: 'none; the name is shown',
    description: "URL of the application's logo.",
  }),
  live('pages.stylesheetUrl', {
    env: 'PAGES_STYLESHEET_URL',
    parser: webUrl,
    default: null,
    defaultText: 'none',
    description: 'URL of a stylesheet that is loaded after that of the pages.',
  }),
  live('pages.theme.accent', {
    ...theme('accent'),
    description: 'Color of buttons, links and focus.',
  }),
  live('pages.theme.accentText', {
    ...theme('accentText'),
    description: 'Color of text on buttons.',
  }),
  live('pages.theme.background', {
    ...theme('background'),
    description: 'Background of the pages.',
  }),
  live('pages.theme.surface', {
    ...theme('surface'),
    description: 'Background of the card that contains a form.',
  }),
  live('pages.theme.text', { ...theme('text'), description: 'Color of text.' }),
  live('pages.theme.radius', { ...theme('radius'), description: 'Radius of corners.' }),
  live('pages.captchaSiteKey', {
    env: 'PAGES_CAPTCHA_SITE_KEY',
    parser: text,
    default: null,
    defaultText: 'none; required where captchas are enabled',
    description: 'Public key of the captcha provider, for its widget on the pages.',
  }),
  live('pages.texts', {
    env: null,
    parser: textsByLanguage,
    default: {},
    defaultText: 'the built-in texts',
    description: 'Texts that replace built-in ones, by language and key.',
  }),
  live('pages.signIn', replaced('SIGN_IN', 'signing in')),
  live('pages.signUp', replaced('SIGN_UP', 'signing up')),
  live('pages.forgotPassword', replaced('FORGOT_PASSWORD', 'requesting a new password')),
  live('pages.newPassword', replaced('NEW_PASSWORD', 'setting a new password')),
  live('pages.secondFactor', replaced('SECOND_FACTOR', 'the second factor')),
  live('pages.account', replaced('ACCOUNT', 'the account')),
  live('pages.signedOut', replaced('SIGNED_OUT', 'users who have signed out')),
  live('pages.error', replaced('ERROR', 'errors')),
] as const

/** Returns the origins of the pages. In development all names of this machine are one. */
export function pageOrigins({
  pages,
  development,
}: Pick<Config, 'pages' | 'development'>): string[] {
  const url = URL.parse(pages.origin)
  if (!url || !development || !isLoopbackHost(url.hostname)) return [pages.origin]
  const port = url.port === '' ? '' : `:${url.port}`
  const names = ['127.0.0.1', 'localhost'].map((name) => `${url.protocol}//${name}${port}`)
  return [...new Set([pages.origin, ...names])]
}

/** Returns the URL of the pages, without a slash at its end. */
const pagesUrlOf = ({ pages, externalUrl }: Pick<Config, 'pages' | 'externalUrl'>): string =>
  `${pages.origin}${pathBelow(externalUrl)}`

/**
 * Derives the origin, permits redirects of links and providers to the pages, and permits passkeys
 * on them.
 */
export function deriveDefaults(config: Config, given: Given): void {
  const { pages, redirects, webAuthn, oauthServer } = config
  if (!given.has('pages.origin')) pages.origin = URL.parse(config.externalUrl)?.origin ?? ''
  if (!given.has('pages.enabled')) pages.enabled ||= config.development && mayBeEnabled(config)
  if (!pages.enabled || pages.origin === '') return
  const path = pathBelow(config.externalUrl)
  // An invited user has no browser that requested the link, and continues with a password.
  const isChosen = given.has('pages.enabled') || config.console.enabled
  if (isChosen && !given.has('email.urlPaths.invite'))
    config.email.urlPaths.invite = `${path}/confirm`
  // Messages of wallets name a page, and its origin.
  const hasWallets = config.web3.ethereumEnabled || config.web3.solanaEnabled
  const own = redirectTargets.check(
    pageOrigins(config).flatMap((one) => [`${one}${path}/**`, ...(hasWallets ? [`${one}/`] : [])]),
  )
  if ('value' in own)
    config.redirects = { ...redirects, allowList: [...redirects.allowList, ...own.value] }
  if (oauthServer.enabled && !given.has('oauthServer.authorizationPath'))
    oauthServer.authorizationPath = `${pagesUrlOf(config)}/consent`
  if (oauthServer.enabled && !given.has('oauthServer.deviceFlow.path'))
    oauthServer.deviceFlow.path = `${pagesUrlOf(config)}/device`
  if (given.has('webAuthn.rpOrigins')) return
  const fitting = pageOrigins(config).filter((one) => isWithin(webAuthn.rpId, one))
  webAuthn.rpOrigins = [...new Set([...webAuthn.rpOrigins, ...fitting])]
}

const isWithin = (rpId: string, url: string): boolean => {
  const host = URL.parse(url)?.hostname ?? ''
  return host === rpId || host.endsWith(`.${rpId}`)
}

/** Returns the URLs of the pages that the application replaces by its own. */
export const openedUrls = ({ pages }: Pick<Config, 'pages'>): [string, string | null][] =>
  pages.enabled ? replaceable.map((name) => [`pages.${name}`, pages[name]]) : []

const replaceable = [
  'signIn',
  'signUp',
  'forgotPassword',
  'newPassword',
  'secondFactor',
  'account',
  'signedOut',
  'error',
] as const satisfies (keyof Config['pages'])[]

/** Reports whether development can have the pages without further settings. */
const mayBeEnabled = ({ pages, security, development }: Config): boolean =>
  isSafeOrigin(pages.origin, development) &&
  (!security.captcha.enabled || pages.captchaSiteKey !== null)

/** Reports whether cookies of an origin are sent with TLS, or within this machine. */
function isSafeOrigin(origin: string, development: boolean): boolean {
  const url = URL.parse(origin)
  if (url?.protocol === 'https:') return true
  return development && url?.protocol === 'http:' && isLoopbackHost(url.hostname)
}

/** Rejects pages whose cookies would be sent without TLS. */
const requireSafeOrigin: Rule = ({ config, given, report }) => {
  const { pages, development } = config
  if (!pages.enabled || report.hasProblem('pages.origin') || report.hasProblem('externalUrl'))
    return
  if (isSafeOrigin(pages.origin, development)) return
  const source = given.has('pages.origin')
    ? ''
    : ` By default it is that of ${report.name('externalUrl')}.`
  // The console enables the pages, so its operator may not know that they are.
  const cause = given.has('pages.enabled')
    ? ''
    : `, which ${report.name('console.enabled')} enables,`
  report.problem(
    'pages.origin',
    `must be an origin with https, since the pages${cause} keep sessions in cookies; in development, http on this machine is permitted.${source} docs/hosts.md (Builds) shows how to try a production build on this machine`,
  )
}

/** Rejects pages whose forms would lack the captcha that they require. */
const requireSiteKey: Rule = ({ config, report }) => {
  const { pages, security } = config
  if (!pages.enabled || !security.captcha.enabled || pages.captchaSiteKey !== null) return
  report.problem(
    'pages.captchaSiteKey',
    `is required, since ${report.name('security.captcha.enabled')} is set: the public key of the captcha provider`,
  )
}

/** Warns of parts of the pages without TLS, which an attacker on the network path can replace. */
const warnOfUnencryptedParts: Rule = ({ config, report }) => {
  const { pages, development } = config
  if (!pages.enabled || development) return
  for (const name of ['stylesheetUrl', 'logoUrl'] as const) {
    const url = URL.parse(pages[name] ?? '')
    if (url?.protocol !== 'http:' || isLoopbackHost(url.hostname)) continue
    report.warn(
      `pages.${name}`,
      'is not encrypted: browsers do not load it on pages with TLS, or an attacker on the network path replaces it',
    )
  }
}

export const rules: readonly Rule[] = [requireSafeOrigin, requireSiteKey, warnOfUnencryptedParts]
