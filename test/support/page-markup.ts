import { Parser } from 'htmlparser2'

/** A string of an attacker that is no text where it is not escaped. Each contains `xss`. */
export const hostileTexts: readonly string[] = [
  '<xss data-xss>',
  '"><img src=x onerror="alert(1)" data-xss>',
  "'><svg/onload=alert(1) data-xss>",
  '</title></textarea></style><script data-xss>alert(1)</script>',
  '" autofocus onfocus="alert(1)" data-xss="',
  "' onmouseover='alert(1)' data-xss='",
  '--><script data-xss>alert(1)</script><!--',
  ']]><script data-xss>alert(1)</script>',
  '&lt;script data-xss&gt;alert(1)&lt;/script&gt;',
  '&quot; onfocus=&quot;alert(1)&quot; data-xss=&quot;',
  'javascript:alert(1)//xss',
  'data:text/html,<script data-xss>alert(1)</script>',
  '{site} $& $` $1 <xss data-xss>',
]

const ownScript = /^\/[\w/-]+\/pages\/script\.js\?v=\w+$/
const ownUrl = /^(https?:\/\/|[/?#])/
const ownImage = /^data:image\/svg\+xml;base64,[\w+/=]+$/
const ownDownload = /^data:text\/plain;charset=utf-8,/
const forbidden = new Set(['iframe', 'object', 'embed', 'base', 'svg', 'math', 'textarea'])

/**
 * Returns the elements and attributes of a page that its own templates do not contain: those of an
 * attacker, scripts without the nonce, handlers of events, and URLs that run scripts. A script in
 * the page has the nonce too, which an attacker cannot know.
 */
export function foreignMarkupIn(document: string, nonce: string): string[] {
  const found: string[] = []
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const element = `<${name} ${JSON.stringify(attributes)}>`
      if (name.includes('xss') || forbidden.has(name)) found.push(element)
      if (name === 'script' || name === 'style') {
        const { src } = attributes
        const isOwn = name === 'style' || src === undefined || ownScript.test(src)
        if (attributes['nonce'] !== nonce || !isOwn) found.push(element)
      }
      for (const [attribute, value] of Object.entries(attributes)) {
        if (/xss|^on|^style$|^srcdoc$/.test(attribute)) found.push(element)
        if (!['href', 'src', 'action', 'formaction'].includes(attribute)) continue
        const isOwn =
          ownUrl.test(value) ||
          value === 'data:,' ||
          (name === 'img' && ownImage.test(value)) ||
          (name === 'a' && 'download' in attributes && ownDownload.test(value))
        if (!isOwn) found.push(element)
      }
    },
    oncomment: (text) => found.push(`<!--${text}-->`),
  })
  parser.write(document)
  parser.end()
  return found
}

/** Returns the text of a page: that of its elements and that of its attributes. */
export function textIn(document: string): string {
  const found: string[] = []
  const parser = new Parser({
    onopentag: (_, attributes) => found.push(...Object.values(attributes)),
    ontext: (text) => found.push(text),
  })
  parser.write(document)
  parser.end()
  return found.join('')
}
