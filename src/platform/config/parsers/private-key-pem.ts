import { createPrivateKey } from 'node:crypto'
import { fails, type Parser, reads } from './parser.ts'

/**
 * A private key for ES256, as PEM of PKCS #8. In an environment, line breaks may be written as
 * `\n`.
 */
export const privateKeyPem: Parser<string, string> = {
  name: 'PEM',
  emptyMeansAbsent: true,
  parse: reads,
  check: (given) => {
    const pem = typeof given === 'string' ? `${given.replaceAll('\\n', '\n').trim()}\n` : ''
    return isKeyForEs256(pem)
      ? reads(pem)
      : fails('must be a private key on the curve P-256: the text of a .p8 file, from BEGIN to END')
  },
}

function isKeyForEs256(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}
