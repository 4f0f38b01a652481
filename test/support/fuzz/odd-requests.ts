import type { Dice } from './dice.ts'
import { canary, oddText } from './odd-values.ts'

/** Returns another spelling of a path, or an unknown path. */
export function oddPath(dice: Dice, path: string): string {
  const first = path.slice(1, 2)
  const escaped = `%${first.charCodeAt(0).toString(16)}`
  return dice.pick([
    `/${path}`,
    `//${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `/%2e${path}`,
    `/%2e%2e${path}`,
    `/%2f${path.slice(1)}`,
    `/${escaped}${path.slice(2)}`,
    path.replace(/\/(?=.)/g, '\\'),
    `${path}/`,
    `${path}//`,
    `${path};x`,
    `${path}%00`,
    `${path}%zz`,
    `${path}%`,
    `${path}%20`,
    `${path}.json`,
    `${path}/..`,
    `${path}/%2e%2e`,
    `${path}#x`,
    `${path}%23`,
    `${path}%3Fa=b`,
    path.toUpperCase(),
    path.replace(/.$/, (last) => last.toUpperCase()),
    `${path}%ed%a0%80`,
    `${path}/${canary}`,
    `/${canary}`,
    `${path}${'a'.repeat(20_000)}`,
    '/%c0%ae%c0%ae/',
    '/*',
    '/:a',
    `/${'a/'.repeat(5000)}`,
    '/__proto__',
    '/constructor',
    '/\u{1f600}',
    '/admin/users/__proto__',
  ])
}

/**
 * Returns a query with members beside, or in place of, the valid ones.
 *
 * @param parameters the parameters that are read of it.
 */
export function oddQuery(dice: Dice, parameters: readonly string[]): string {
  if (parameters.length > 0 && dice.chance(50)) {
    return `&${new URLSearchParams({ [dice.pick(parameters)]: oddText(dice) })}`
  }
  return dice.pick([
    '&',
    '&&=&=',
    `&token=${canary}`,
    '&grant_type=password&grant_type=password',
    '&scope=',
    '&%zz=%zz',
    '&scope=local&scope=global',
    '&scope=%00',
    '&scope=%ed%a0%80',
    '&__proto__=1',
    '&grant_type[]=x',
    '&grant_type=%00',
    '&GRANT_TYPE=password',
    `&a=${'b'.repeat(30_000)}`,
    '&;',
    '&a=%C3%28',
    '&+=+',
    `${'&a=b'.repeat(3000)}`,
    '&scope=GLOBAL',
    '&grant_type=id_token',
    '&grant_type=pkce',
  ])
}

type Headers = Record<string, string>

/** Returns headers that do not change the meaning of a request. */
export const harmlessHeaders = (dice: Dice): Headers =>
  dice.pick<Headers>([
    {},
    ...apiVersions.map((version) => ({ 'x-supabase-api-version': version })),
    ...mediaTypes.map((type) => ({ 'content-type': type })),
    ...['', '\xff\xfe', 'a'.repeat(10_000), '<b>', "'"].map((agent) => ({ 'user-agent': agent })),
    { origin: 'null' },
    { origin: 'https://evil.test', cookie: `a=${canary}; __proto__=1; =;;` },
    { 'x-forwarded-for': "127.0.0.1, ' or 1=1", forwarded: 'for="_x"', 'x-real-ip': '::' },
    { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'javascript', host: 'evil.test' },
    { accept: 'text/html', 'accept-encoding': 'br;q=x', 'if-none-match': '*', range: 'bytes=-1' },
    { 'x-http-method-override': 'DELETE', __proto__x: '1', constructor: '1', tostring: '1' },
    { expect: '200-ok', 'x-request-id': canary, traceparent: '00-zz' },
  ])

const apiVersions = [
  '2024-01-01',
  '2023-12-31',
  '9999-99-99',
  '2024-1-1',
  '',
  'latest',
  '\xe9',
  '2024-01-01, 2024-01-01',
  '2025-01-01T00:00:00Z',
  '-2024-01-01',
  '2'.repeat(10_000),
  '2024-01-01 ',
]

const mediaTypes = [
  'application/json',
  'application/json;charset=UTF-16',
  'text/plain',
  '',
  '\xff',
  'a'.repeat(5000),
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
]

/** Returns headers that change the meaning of a request, or are false. */
export const oddHeaders = (dice: Dice): Headers =>
  dice.pick<Headers>([
    harmlessHeaders(dice),
    ...lengths.map((length) => ({ 'content-length': length })),
    { 'transfer-encoding': 'chunked', 'content-length': '3' },
    { 'transfer-encoding': 'gzip, chunked' },
    { 'content-encoding': 'gzip' },
    ...audiences.map((audience) => ({ 'x-jwt-aud': audience })),
    { origin: 'https://a.test', 'access-control-request-method': '\xff' },
  ])

const lengths = [
  '0',
  '-1',
  '5',
  'abc',
  '1e3',
  '0x10',
  '1048577',
  '99999999999999999999',
  '',
  '1, 1',
]

const audiences = [
  '',
  ' ',
  'authenticated',
  'authenticated, authenticated',
  '__proto__',
  '\xe9\xff',
  "' or 1=1",
  'a'.repeat(8000),
  'null',
  '[]',
]

/** Returns a method that `Request` supports. */
export const oddMethod = (dice: Dice): string =>
  dice.pick([
    'HEAD',
    'OPTIONS',
    'DELETE',
    'PATCH',
    'patch',
    'PROPFIND',
    'QUERY',
    'X',
    '__proto__',
    'GET',
  ])
