import type { MessagingAuth } from './messages.ts'

/** The origin of the pages in tests without a browser. */
export const origin = 'https://app.example.test'

/** A browser without scripts: it stores cookies, and submits the forms of pages. */
export function openBrowser(auth: MessagingAuth) {
  const jar = new Map<string, string>()
  const send = async (method: string, path: string, body?: string, headers = {}) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await auth.auth.fetch(
      new Request(path.startsWith('http') ? path : `${origin}${path}`, {
        method,
        headers: {
          cookie,
          ...(method === 'POST' && {
            origin,
            'content-type': 'application/x-www-form-urlencoded',
          }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      }),
    )
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/Max-Age=0/i.test(set)) jar.delete(name)
      else jar.set(name, value)
    }
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const get = (path: string, headers = {}) => send('GET', path, undefined, headers)
  const tokenIn = (text: string) => /name="form_token" value="(\w+)"/.exec(text)?.[1] ?? ''
  const submit = async (
    path: string,
    action: string,
    fields: Record<string, string>,
    headers = {},
  ) => {
    const { text } = await get(path)
    const form = new URLSearchParams({ form_token: tokenIn(text), ...fields })
    const separator = path.includes('?') ? '&' : '?'
    return send('POST', `${path}${separator}do=${action}`, `${form}`, headers)
  }
  return { jar, get, submit, send, tokenIn }
}
