import { renderSVG } from 'uqr'
import { isSameSecret } from '../../platform/kit/digest.ts'
import { hotpOf, newBase32Secret } from '../../platform/kit/hotp.ts'

/** What authenticator apps take for granted. @see RFC 6238 §4 */
const stepSeconds = 30
const digits = 6

/** Clocks differ, and people need time to type: the step before and the one after count as well. */
const skew = 1

/** As many as SHA-1 makes. @see RFC 4226 §4 */
const secretBytes = 20

/** The secret of a new app, as it is shown. */
export const newTotpSecret = (random: { hex(byteCount: number): string }): string =>
  newBase32Secret(random, secretBytes)

/**
 * The time step that a code is of; null for one that is of none, or of one that is used up.
 *
 * @param secret in base32.
 * @param lastUsedStep the step of the last code that was taken: none before or at it is good.
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
  // All of them, however early one fits: the time tells nothing.
  const fitting = await Promise.all(
    steps.map(async (step) => isSameSecret(await codeAt(step), code)),
  )
  const step = steps.find((one, index) => fitting[index] && one > (lastUsedStep ?? -1))
  return step ?? null
}

/** Whom an app shows a code for. */
export interface TotpLabel {
  issuer: string
  user: string
}

/**
 * What an app reads from the picture. Written out, since apps show the `+` that `URLSearchParams` makes
 * of a space.
 *
 * @see https://github.com/google/google-authenticator/wiki/Key-Uri-Format
 */
export function totpUri({ issuer, user }: TotpLabel, secret: string): string {
  const name = encodeURIComponent(issuer)
  const query = `algorithm=SHA1&digits=${digits}&issuer=${name}&period=${stepSeconds}&secret=${secret}`
  return `otpauth://totp/${name}:${encodeURIComponent(user)}?${query}`
}

/**
 * A URI as a QR code in SVG. There is neither `#` nor `%` in it: clients put it into a `data:` URL as it
 * is.
 *
 * To try all eight masks for the best one holds the event loop for 20 ms, of which the code itself takes
 * three. Readers read any of them, and a random secret leaves none of the patterns that masks are for.
 *
 * @see ISO/IEC 18004 §7.8
 */
export const totpQrCode = (uri: string): string =>
  renderSVG(uri, { ecc: 'H', border: 4, maskPattern: 0 })
