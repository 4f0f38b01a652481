import type { RenderedMail } from '../../../delivery/mail/mail.ts'
import type { MailboxMessage } from '../../../delivery/outbox/development-mailbox.ts'

/** The actions that a message is sent for: links to open, a code to enter. */
export interface MessageActions {
  /** The link of the mail's purpose is the first. */
  links: readonly string[]
  code: string | null
}

export function actionsOf(message: MailboxMessage): MessageActions {
  if (message.kind === 'sms') return { links: [], code: message.sms.code }
  const links = linksIn(message.mail)
  return { links, code: codeIn(message.mail) }
}

function linksIn({ html, text }: RenderedMail): string[] {
  const inHtml = [...html.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(
    ([, double, single]) => decodeEntities(double ?? single ?? '').trim(),
  )
  const all = inHtml.length > 0 ? inHtml : (text.match(urls) ?? [])
  const links = [...new Set(all)].filter((link) => URL.parse(link)?.protocol.match(/^https?:$/))
  return links.toSorted((one, other) => Number(isAction(other)) - Number(isAction(one)))
}

const urls = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/gi

const isAction = (link: string): boolean => /[?&](?:token|token_hash|code)=/.test(link)

/** Finds the code in subject or text. Digits within a link, a number or a word are not a code. */
function codeIn({ subject, text }: RenderedMail): string | null {
  const found = /(?<![\w.,:/+#-])\d{6,10}(?![\w/:-]|[.,]\d)/.exec(
    `${subject}\n${text}`.replace(urls, ''),
  )
  return found?.[0] ?? null
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
