import fc from 'fast-check'

/** Parts of URLs that have a meaning to some parser. */
const pieces = [
  'https:',
  'http:',
  'acmeapp:',
  'com.acme.app:',
  'javascript:',
  'data:',
  'HTTPS:',
  '/',
  '//',
  '///',
  '\\',
  ':',
  '@',
  '?',
  '#',
  '.',
  '..',
  '%2f',
  '%2e',
  '%40',
  '%5c',
  ';',
  '&',
  'app.acme.test',
  'docs.acme.test',
  'eu.acme.test',
  '.acme.test',
  'acme.test',
  'evil.test',
  'evil',
  'login',
  'cb',
  'a',
  'x',
  'localhost',
  '127.0.0.1',
  '[::1]',
  '2130706433',
  '0x7f.1',
  ':443',
  ':8443',
  ':5173',
  ':0',
  ' ',
  '\t',
  '\n',
  '\0',
  '\u00ad',
  '。',
  '／',
  'ｅ',
  'é',
  '\u202e',
]

/**
 * Generates texts that are almost targets: parts in any order, mostly after a scheme and a host, so
 * that many pass the first checks.
 */
export function strangeTarget(): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...pieces) },
    fc.string({ maxLength: 3 }),
  )
  const starts = [
    '',
    'https://',
    'https://docs.acme.test',
    'https://eu',
    'acmeapp://login/',
    'http://',
  ]
  return fc
    .tuple(fc.constantFrom(...starts), fc.array(piece, { maxLength: 6 }))
    .map(([start, rest]) => start + rest.join(''))
}
