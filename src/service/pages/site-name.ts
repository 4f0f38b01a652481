import type { Config } from '../../platform/config/config.ts'

/** The name of the application, as mails have it. */
export const siteNameOf = ({ email, siteUrl }: Pick<Config, 'email' | 'siteUrl'>): string =>
  email.from.name ?? URL.parse(siteUrl)?.host ?? siteUrl
