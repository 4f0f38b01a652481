import type { Config } from '../../platform/config/config.ts'

/** Returns the name of the application: that of the pages, else the one in mails. */
export const siteNameOf = ({
  email,
  siteUrl,
  pages,
}: Pick<Config, 'email' | 'siteUrl' | 'pages'>): string =>
  pages.name ?? email.from.name ?? URL.parse(siteUrl)?.host ?? siteUrl
