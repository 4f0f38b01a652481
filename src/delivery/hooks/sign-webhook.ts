import { createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto'

/** The signed content. */
export interface SignedContent {
  /** `webhook-id` */
  id: string
  /** `webhook-timestamp`, in seconds. */
  timestamp: number
  body: string
}

/**
 * Signs a request with each secret: `v1,whsec_…` by HMAC, `v1a,whpk_…:whsk_…` by Ed25519. The
 * receiver needs one of them, so that a secret can be replaced without interruption.
 *
 * @returns the value of `webhook-signature`; empty without secrets.
 * @see https://www.standardwebhooks.com
 */
export function signWebhook(secrets: readonly string[], content: SignedContent): string {
  const signed = `${content.id}.${content.timestamp}.${content.body}`
  return secrets.map((secret) => signWith(secret, signed)).join(' ')
}

function signWith(secret: string, signed: string): string {
  const [, privateKey] = /:whsk_(.+)$/.exec(secret) ?? []
  if (privateKey !== undefined) {
    return `v1a,${sign(null, Buffer.from(signed), readEd25519(privateKey)).toString('base64')}`
  }
  const key = Buffer.from(secret.replace(/^v1,whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

/** The prefix of the 32 bytes of an Ed25519 key in PKCS #8. @see RFC 8410 §7 */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Some tools append the public half to the private one. */
function readEd25519(base64: string): KeyObject {
  const seed = Buffer.from(base64, 'base64').subarray(0, 32)
  return createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: 'der',
    type: 'pkcs8',
  })
}
