import type { Config } from '../../platform/config/config.ts'

/** Returns the name of the application, as in mails. */
export const siteNameOf = ({ email, siteUrl }: Pick<Config, 'email' | 'siteUrl'>): string =>
  email.from.name ?? URL.parse(siteUrl)?.host ?? siteUrl
