import { isSameSecret } from '../../platform/kit/digest.ts'
import { hotpOf, newBase32Secret } from '../../platform/kit/hotp.ts'

/** The parameters that authenticator apps assume. @see RFC 6238 §4 */
const stepSeconds = 30
const digits = 6

/**
 * Clocks differ, and users need time to type: the step before and the one after are accepted, too.
 */
const skew = 1

/** The output length of SHA-1. @see RFC 4226 §4 */
const secretBytes = 20

/** Creates the secret of a new app, in the form that is shown. */
export const newTotpSecret = (random: { hex(byteCount: number): string }): string =>
  newBase32Secret(random, secretBytes)

/**
 * Returns the time step of a code; null for a code of no accepted step, or of a used one.
 *
 * @param secret in base32.
 * @param lastUsedStep the step of the last accepted code. No code of this step or an earlier one is
 *   accepted.
 * @see RFC 6238 §5.2
 */
export async function findTotpStep(
  secret: string,
  code: string,
  { now, lastUsedStep }: { now: Date; lastUsedStep: number | null },
): Promise<number | null> {
  const codeAt = hotpOf(secret, digits)
  const current = Math.floor(now.getTime() / 1000 / stepSeconds)
  const steps = Array.from({ length: 2 * skew + 1 }, (_, index) => current - skew + index)
  // All steps are compared, even after a match, so that the time does not reveal which one matches.
  const fitting = await Promise.all(
    steps.map(async (step) => isSameSecret(await codeAt(step), code)),
  )
  const step = steps.find((one, index) => fitting[index] && one > (lastUsedStep ?? -1))
  return step ?? null
}

/** Returns the code that an app shows at a time. */
export const totpCodeAt = (secret: string, now: Date): Promise<string> =>
  hotpOf(secret, digits)(Math.floor(now.getTime() / 1000 / stepSeconds))

/** The names that an app displays with a code. */
export interface TotpLabel {
  issuer: string
  user: string
}

/**
 * Returns the URI that an app reads from the QR code. It is assembled by hand, since apps display
 * the `+` that `URLSearchParams` writes for a space.
 *
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function totpUri({ issuer, user }: TotpLabel, secret: string): string {
  const name = encodeURIComponent(issuer)
  const query = `algorithm=SHA1&digits=${digits}&issuer=${name}&period=${stepSeconds}&secret=${secret}`
  return `otpauth://totp/${name}:${encodeURIComponent(user)}?${query}`
}

/**
 * Renders a URI as a QR code in SVG. It contains neither `#` nor `%`: clients put it into a `data:`
 * URL unescaped.
 *
 * A comparison of all eight masks blocks the event loop for 20 ms, of which the code itself takes
 * three. Readers accept any mask, and a random secret contains none of the patterns that masks
 * avoid.
 *
 * @see ISO/IEC 18004 §7.8
 */
export async function totpQrCode(uri: string): Promise<string> {
  const { renderSVG } = await import('uqr')
  return renderSVG(uri, { ecc: 'H', border: 4, maskPattern: 0 })
}
