import type { H3Event } from 'h3'
import { isStorable } from '../../platform/kit/storable-text.ts'

/**
 * The parameters of an authorization request that concern its pages. Every page keeps them until
 * the request is decided.
 *
 * @see OpenID Connect Core 1.0 §3.1.2.1
 */
export interface AuthorizationHints {
  /** The address or name that the sign-in page shows in its field. */
  login_hint?: string
  /** Language tags, the most preferred first, separated by spaces. */
  ui_locales?: string
}

/** The longest address. @see RFC 5321 §4.5.3.1 */
const maxLoginHintLength = 320
const maxLocalesLength = 200

/** Reads the hints in a URL. Malformed ones are ignored, since they change no decision. */
export function readHints({ url: { searchParams } }: Pick<H3Event, 'url'>): AuthorizationHints {
  const loginHint = searchParams.get('login_hint')?.trim() ?? ''
  const uiLocales = searchParams.get('ui_locales')?.trim() ?? ''
  const isLogin = loginHint !== '' && loginHint.length <= maxLoginHintLength
  return {
    ...(isLogin && isStorable(loginHint) && { login_hint: loginHint }),
    ...(uiLocales.length <= maxLocalesLength && isTagList(uiLocales) && { ui_locales: uiLocales }),
  }
}

const isTagList = (text: string): boolean =>
  /^[a-z\d]+(-[a-z\d]+)*( +[a-z\d]+(-[a-z\d]+)*)*$/i.test(text)

/** Returns the language tags of the hints, the most preferred first. */
export const localesOf = ({ ui_locales: uiLocales }: AuthorizationHints): string[] =>
  uiLocales?.split(/ +/) ?? []

/** Returns the hint where it is an email address. */
export const emailHintOf = ({ hints }: { hints: AuthorizationHints }): string | undefined =>
  hints.login_hint?.includes('@') ? hints.login_hint : undefined
