import { type MailKind, mails } from '../../platform/mails/mails.ts'

/** Headers by name, with their values. */
export type HeaderLists = Readonly<Record<string, readonly string[]>>

/** Headers of structure and recipients, which settings cannot change. */
const ours = /^(?:to|cc|bcc|mime-version|content-.*|message-id|date)$/i

/** Returns the configured headers that have no effect. */
export const headersWithoutEffect = (configured: HeaderLists): string[] =>
  Object.keys(configured).filter((name) => ours.test(name))

/**
 * Returns the additional headers of one mail. They include a request to suppress automatic replies.
 *
 * @param configured by the operator; `$messageType` in a value becomes the kind of mail.
 */
export function extraHeaders(
  configured: HeaderLists,
  kind: MailKind,
): { key: string; value: string }[] {
  const usable = Object.entries(configured).filter(([name]) => !ours.test(name))
  const lists = hasHeader(configured, 'auto-submitted')
    ? usable
    : [['Auto-Submitted', ['auto-generated']] as const, ...usable]
  return lists.flatMap(([key, values]) =>
    values
      .filter((value) => value !== '')
      .map((value) => ({ key, value: value.replaceAll('$messageType', mails[kind].messageType) })),
  )
}

export const hasHeader = (configured: HeaderLists, name: string): boolean =>
  headerValue(configured, name) !== undefined

/** @param name in lower case. */
export const headerValue = (configured: HeaderLists, name: string): string | undefined =>
  Object.entries(configured)
    .find(([key]) => key.toLowerCase() === name)?.[1]
    .find((value) => value !== '')
