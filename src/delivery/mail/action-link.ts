import type { ActionLinkType } from '../../platform/mails/mail-definition.ts'

export interface ActionLink {
  /** The result of {@link linkHost}. */
  base: string
  /** A path, which replaces that of the base; or a URL. */
  path: string
  /** The link's secret. */
  token: string
  type: ActionLinkType
  /** A permitted redirect target. */
  redirectTo: string
}

/** Returns the link of a mail. Each part is escaped, so that none can add or end a parameter. */
export function actionLink({ base, path, token, type, redirectTo }: ActionLink): string {
  const link = new URL(path, base)
  link.search = [
    `token=${encodeURIComponent(token)}`,
    `type=${encodeURIComponent(type)}`,
    `redirect_to=${encodeURIComponent(redirectTo)}`,
  ].join('&')
  link.hash = ''
  return link.href
}
