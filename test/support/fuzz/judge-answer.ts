import { canary, phoneCanary } from './odd-values.ts'

/** Values that must not be in a log or response: confidential input, tokens, hashes. */
const secrets = [canary, phoneCanary, '$argon2', 'eyJ']

/** Error codes that are thrown before a flow runs, or that may be. */
const codesOfForm = new Set([
  'bad_json',
  'bad_jwt',
  'method_not_allowed',
  'no_authorization',
  'not_found',
  'request_entity_too_large',
  'validation_failed',
])

/** The wire has no own code for it. */
const unknownPasskey = 'Passkey not found'

export interface Judgement {
  /** The defects of the response. */
  faults: string[]
  /** True if the request certainly reached the flow. */
  reachedFlow: boolean
}

/** Checks a response as a client would, for any request. */
export async function judgeAnswer(method: string, answer: Response): Promise<Judgement> {
  const text = await answer.text()
  const body = parse(text)
  const { status, headers } = answer
  // The page of a link, with its button.
  const isPage = status === 200 && (headers.get('content-type') ?? '').startsWith('text/html')
  const faults = [
    status >= 500 && `answered ${status}`,
    !headers.get('x-request-id') && 'has no request id',
    headers.get('access-control-allow-origin') !== (isPage ? null : '*') &&
      `can${isPage ? '' : 'not'} be read by a script`,
    !headers.get('cache-control') && 'does not say whether it may be kept',
    text !== '' && !isPage && !isJson(headers) && 'is not said to be JSON',
    text !== '' && !isPage && body === undefined && 'is not JSON',
    text === '' && ![204, 302, 303].includes(status) && method !== 'HEAD' && 'is empty',
    status === 303 && !isHome(headers.get('location')) && 'leads away from the site',
    status === 302 && !isKnown(headers.get('location')) && 'leads to a stranger',
    status >= 400 && text !== '' && !isError(body, status) && 'is no error as it should be',
    status >= 400 && findSecret(text) && `tells ${findSecret(text)}`,
  ]
  const code = isObject(body) ? (body.error_code ?? body.code) : undefined
  return {
    faults: faults.filter((fault) => typeof fault === 'string'),
    reachedFlow:
      status < 400 ||
      (text !== '' && !codesOfForm.has(String(code))) ||
      text.includes(unknownPasskey),
  }
}

/** Returns the first secret in a text. */
export const findSecret = (text: string): string | undefined =>
  secrets.find((secret) => text.includes(secret))

/** Returns whether a target is on the site, whatever the request contained. */
/** Returns whether a target is the site or a configured provider. */
const isKnown = (location: string | null): boolean =>
  isHome(location) || /^(https:\/\/github\.com|http:\/\/127\.0\.0\.1:9)\//.test(location ?? '')

const isHome = (location: string | null): boolean =>
  location !== null && URL.parse(location)?.origin === 'https://app.example.test'

const isJson = (headers: Headers): boolean =>
  /^application\/json\b/.test(headers.get('content-type') ?? '')

/** Returns whether a body is in one of the three forms of an error. */
function isError(body: unknown, status: number): boolean {
  if (!isObject(body)) return false
  const { code, message, error_code: errorCode, msg } = body
  if (code === undefined) {
    return typeof body.error === 'string' && typeof body.error_description === 'string'
  }
  return typeof code === 'number'
    ? code === status && typeof errorCode === 'string' && typeof msg === 'string'
    : typeof code === 'string' && typeof message === 'string'
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
