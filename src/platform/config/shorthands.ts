import { isRecord } from '../kit/is-record.ts'
import type { AuthConfig } from './config.ts'
import type { Report } from './report.ts'

type Tree = Record<string, unknown>

/**
 * Expands short forms of a configuration: a URL for the database or the mail server, a text for a
 * sender, a function for a hook.
 */
export function expandShorthands(given: AuthConfig, report: Report): Tree {
  const tree: Tree = { ...given }
  if (typeof tree.database === 'string') tree.database = { url: tree.database }
  if (isRecord(tree.email)) tree.email = expandEmail(tree.email, report)
  if (isRecord(tree.hooks)) tree.hooks = mapValues(tree.hooks, expandHook)
  return tree
}

function expandEmail(email: Tree, report: Report): Tree {
  const { from, smtp } = email
  return {
    ...email,
    ...(typeof from === 'string' && { from: readSender(from, report) }),
    ...(typeof smtp === 'string' && { smtp: readSmtpUrl(smtp, report) }),
  }
}

/** `Acme <no-reply@example.com>`, or an address alone. */
function readSender(text: string, report: Report): Tree | undefined {
  if (text === '') return undefined
  const [, name, address] =
    /^\s*(?:"?([^"<>]*?)"?\s*<)?([^\s<>@]+@[^\s<>@]+?)>?\s*$/.exec(text) ?? []
  if (address) return { address, name }
  report.problem('email.from', 'must be a sender such as Acme <no-reply@example.com>')
  return undefined
}

/** `smtp://user:password@host:587`; with `smtps:` the connection speaks TLS from the first byte. */
function readSmtpUrl(text: string, report: Report): Tree | undefined {
  if (text === '') return undefined
  const url = URL.parse(text)
  const isSmtp = url?.protocol === 'smtp:' || url?.protocol === 'smtps:'
  if (!url || !isSmtp || url.hostname === '') {
    // The text may contain a password, so the message does not quote it.
    report.problem('email.smtp', 'must be a URL such as smtps://user:password@host:465')
    return undefined
  }
  const usualPort = url.protocol === 'smtps:' ? 465 : 587
  return {
    host: url.hostname,
    port: url.port === '' ? usualPort : Number(url.port),
    ...(url.protocol === 'smtps:' && { implicitTls: true }),
    user: decode(url.username),
    pass: decode(url.password),
  }
}

const expandHook = (hook: unknown) => (typeof hook === 'function' ? { run: hook } : hook)

const mapValues = (tree: Tree, change: (value: unknown) => unknown): Tree =>
  Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, change(value)]))

function decode(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text)
  } catch {
    return text
  }
}
