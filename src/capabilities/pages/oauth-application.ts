import { standardScopes } from '../../platform/kit/standard-scopes.ts'
import { html, type Markup } from '../../service/pages/html.ts'
import { consentUrl } from '../oauth-server/authorize/authorize.ts'
import { destinationIn, isNative } from '../oauth-server/clients/redirect-uris.ts'
import type { PageRequest } from './page-request.ts'
import type { TextKey } from './texts/en.ts'

/** An application that requests or has access to the account, as its client describes itself. */
export interface DescribedClient {
  clientId: string
  clientName: string | null
  clientUri: string | null
  logoUri: string | null
}

/** Returns the domain of a client's metadata document; null for a client without one. */
export const publisherOf = ({ clientId }: Pick<DescribedClient, 'clientId'>): string | null =>
  hostOf(clientId)

/**
 * Returns the domain that receives the code, where the user continues. A client may state any
 * `client_uri`, also a parent of this domain, which need not have the same owner, as that of a
 * hosting service. A metadata document may state a redirect URI of any domain.
 *
 * @param redirectUri null where the request is over, or one of a device.
 * @returns null for an application on the user's machine.
 */
export const destinationOf = (redirectUri: string | null): string | null =>
  redirectUri === null || isNative(redirectUri) ? null : hostOf(redirectUri)

/**
 * Returns who published the application and where the user continues. Where both have the same
 * domain, one sentence states it. An application on the user's machine is named by the scheme and
 * host of its redirect URI, which any client may choose.
 */
export function originText(
  page: Pick<PageRequest, 'text'>,
  client: Pick<DescribedClient, 'clientId'>,
  redirectUri: string | null,
): Markup {
  const { text } = page
  const publisher = publisherOf(client)
  const destination = destinationOf(redirectUri)
  if (destination !== null && (publisher ?? destination) === destination) {
    return html`${text('consent.publisher', { domain: destination })}`
  }
  const end = (): Markup | string => {
    if (redirectUri === null) return text('consent.device')
    if (destination !== null) return text('consent.destination', { domain: destination })
    const address = quote(page, destinationIn(redirectUri))
    return html`${text('consent.native')} ${textWithQuotes(page, 'consent.destination', { domain: address })}`
  }
  return publisher === null
    ? html`${end()}`
    : html`${text('consent.from', { domain: publisher })} ${end()}`
}

const hostOf = (uri: string | null): string | null => {
  const url = URL.parse(uri ?? '')
  return url?.protocol === 'https:' ? url.hostname : null
}

/**
 * Returns the logo of the application; null unless it is at an origin of the application, within
 * the domain where the user continues.
 */
export function logoOf(
  { clientId, clientUri, logoUri }: DescribedClient,
  redirectUri: string | null,
): string | null {
  const logo = URL.parse(logoUri ?? '')
  if (logo?.protocol !== 'https:') return null
  const destination = destinationOf(redirectUri)
  const origins = [clientId, clientUri, redirectUri].flatMap((uri) => {
    const url = URL.parse(uri ?? '')
    return url !== null && isWithin(url.hostname, destination) ? [url.origin] : []
  })
  return origins.includes(logo.origin) ? logo.href : null
}

const isWithin = (host: string, domain: string | null): boolean =>
  domain !== null && (host === domain || host.endsWith(`.${domain}`))

/** Returns whether a request is one of a device, whose user enters its code on a page. */
export const isDeviceRequest = ({ ctx }: PageRequest, redirectUri: string): boolean =>
  redirectUri === consentUrl(ctx, ctx.config.oauthServer.deviceFlow.path, {})

/** The maximum number of characters of a name that a sentence contains. */
const maxShownLength = 80

/** A text that a client chose, such as its name, as pages show it. */
export interface ShownName {
  /** The text in quotation marks, shortened. */
  quoted: string
  /** The text as an element with a border, so that it cannot pass for words of the page. */
  markup: Markup
  /** The whole text where it was shortened, else null. */
  full: string | null
}

/** Returns the name of the application as users read it. Words of the service are not quoted. */
export function nameOfClient(
  page: Pick<PageRequest, 'text'>,
  { clientName }: Pick<DescribedClient, 'clientName'>,
  domain: string | null,
): ShownName {
  const name = clientName ?? domain
  if (name !== null) return quote(page, name)
  const unnamed = page.text('consent.unnamed')
  return { quoted: unnamed, markup: html`${unnamed}`, full: null }
}

/** Quotation marks, with which a text would seem to end before its end. */
const quotationMarks = /["“”„‟«»‹›❝❞〝〞〟＂]/g

/**
 * Returns a text that a client chose, in quotation marks.
 *
 * @param maxLength the maximum number of its characters.
 */
export function quote(
  { text }: Pick<PageRequest, 'text'>,
  chosen: string,
  maxLength = maxShownLength,
): ShownName {
  const whole = chosen.replaceAll(quotationMarks, "'")
  const short = shorten(whole, maxLength)
  const quoted = text('consent.quoted', { client: short })
  const full = short === whole ? null : whole
  return { quoted, markup: quotedMarkup(quoted), full }
}

/** Returns a text of a client as an element with a border. */
export const quotedMarkup = (text: string): Markup => html`<bdi class="quoted">${text}</bdi>`

/** Returns a URL that a client chose, in quotation marks. Its host, however long, is complete. */
export function quoteUrl(page: Pick<PageRequest, 'text'>, url: string): ShownName {
  const [origin = ''] = /^[^:]+:\/*[^/?#]*/.exec(url) ?? []
  return quote(page, url, Math.max(maxShownLength, origin.length + 1))
}

/** Returns the beginning of a text that a client chose. */
export function shorten(chosen: string, maxLength = maxShownLength): string {
  const characters = [...chosen]
  if (characters.length <= maxLength) return chosen
  const start = characters.slice(0, maxLength - 1).join('')
  return `${start.trimEnd()}…`
}

/** Returns a text of the page that contains texts of a client, by placeholder. */
export const textWithQuotes = (
  { text }: Pick<PageRequest, 'text'>,
  key: TextKey,
  quotes: Readonly<Record<string, ShownName>>,
  values: Readonly<Record<string, string>> = {},
): Markup =>
  html`${text(key, values)
    .split(/\{(\w+)\}/)
    .map((part, index) => (index % 2 === 1 ? (quotes[part]?.markup ?? `{${part}}`) : part))}`

/** Returns the meaning of a scope: that of the configuration, else that of OpenID Connect. */
export function meaningOf({ host, text }: PageRequest, scope: string): string {
  const { scopes } = host.deps.config.oauthServer
  if (Object.hasOwn(scopes, scope) && scopes[scope]) return scopes[scope]
  return (standardScopes as readonly string[]).includes(scope)
    ? text(`scope.${scope}` as TextKey)
    : scope
}
