/** @internal */
export const tables: readonly string[] = []

/** Texts of pages, by their keys. `{site}` and other names in braces are replaced. */
export type PageTexts = Readonly<Record<string, string>>

/** The colors and the radius of the pages, as values of CSS such as `#2b50d8`. */
export interface PagesTheme {
  /** Buttons, links and focus. */
  accent?: string | undefined
  /** Text on buttons. */
  accentText?: string | undefined
  /** The background of the page. */
  background?: string | undefined
  /** The background of the card that contains the form. */
  surface?: string | undefined
  text?: string | undefined
  /** The radius of corners, such as `10px`. */
  radius?: string | undefined
}

/** Sign-in and account pages. See `docs/pages.md`. */
export interface PagesConfig {
  /** Default: in development true if the other settings permit it, else false. */
  enabled?: boolean | undefined
  /** The origin of the pages, with TLS. Default: that of the external URL. */
  origin?: string | undefined
  /** The name of the application. Default: that of the sender of mails, else the site's host. */
  name?: string | undefined
  /** The URL of the application's logo, shown in place of its name. */
  logoUrl?: string | undefined
  /** The URL of a stylesheet, loaded after that of the pages. */
  stylesheetUrl?: string | undefined
  theme?: PagesTheme | undefined
  /** The public key of the captcha provider. Required where captchas are enabled. */
  captchaSiteKey?: string | undefined
  /** Replacements of texts, by language and key: `{ en: { 'signIn.heading': 'Welcome back' } }`. */
  texts?: Readonly<Record<string, PageTexts>> | undefined
  /** The application's own pages: paths on the site, or URLs, which receive the same query. */
  signIn?: string | undefined
  signUp?: string | undefined
  forgotPassword?: string | undefined
  newPassword?: string | undefined
  secondFactor?: string | undefined
  account?: string | undefined
  signedOut?: string | undefined
  error?: string | undefined
}

/** The pages that an application may replace by its own. */
export type ReplaceablePage =
  | 'signIn'
  | 'signUp'
  | 'forgotPassword'
  | 'newPassword'
  | 'secondFactor'
  | 'account'
  | 'signedOut'
  | 'error'

export interface ResolvedPages extends Record<ReplaceablePage, string | null> {
  enabled: boolean
  origin: string
  name: string | null
  logoUrl: string | null
  stylesheetUrl: string | null
  captchaSiteKey: string | null
  theme: Record<keyof PagesTheme, string | null>
  texts: Readonly<Record<string, PageTexts>>
}

export interface PagesSection {
  /** Sign-in and account pages, below the mount. */
  pages?: PagesConfig | undefined
}

export interface ResolvedPagesSection {
  pages: ResolvedPages
}
