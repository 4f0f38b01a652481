import type { User } from '../../../../accounts/users/user.ts'
import { requiredEnrollment } from '../../../../hosts/cookie-sessions/required-step.ts'
import type { Answer } from '../../../../platform/http/answer.ts'
import { sha256 } from '../../../../platform/kit/digest.ts'
import type { Account } from '../../account.ts'
import type { PageFormState } from '../../form-state.ts'
import { type PageRequest, pathTo, redirectTo, targetOf } from '../../page-request.ts'

export const path = '/account/security'

type EnrolledType = 'totp' | 'phone' | 'email' | 'webauthn'

/** Returns to the page, with a notice. */
export function done(page: PageRequest, notice: PageRequest['pre']['notice']): Answer {
  if (notice) page.pre.notice = notice
  return redirectTo(pathTo(page, path))
}

/** Stores that another page requires the enrollment of a factor, if the request states so. */
export function noteRequiredEnrollment(page: PageRequest): void {
  const { searchParams } = page.event.url
  const isRequired = searchParams.get('for') === requiredEnrollment.for
  const target = digestOfTarget(page)
  if (isRequired && target !== null) page.pre.enrollsFor = target
}

/** Returns whether the page to return to requires the enrollment of a factor. */
export const isEnrollmentRequired = (page: PageRequest): boolean =>
  page.pre.enrollsFor !== undefined && page.pre.enrollsFor === digestOfTarget(page)

/** Returns to the page that required the enrollment, else to the page of the factors. */
export function enrolled(page: PageRequest): Answer {
  const isRequired = isEnrollmentRequired(page)
  delete page.pre.enrollsFor
  return isRequired ? redirectTo(targetOf(page)) : done(page, 'notice.factorAdded')
}

/** A digest, since the target may be too long for a cookie. */
const digestOfTarget = ({ redirectTo: target }: PageRequest): string | null =>
  target === undefined ? null : sha256(target).toString('base64url')

/** Returns the errors of the fields of a form. */
export const errorsOf = (state: PageFormState, action: string): PageFormState['errors'] =>
  state.action === action ? state.errors : {}

/**
 * Renews the session, whose assurance level may have changed with the factors. Returns the user, as
 * stored.
 */
export async function renewed(page: PageRequest): Promise<User> {
  const { main } = await page.sessions()
  return (await main.requireUser({ aal: 1 })).user
}

/** Returns a name that no other factor of the user has. */
export function newName({ text }: PageRequest, { factors }: User, type: EnrolledType): string {
  const names = new Set(factors.map(({ friendlyName }) => friendlyName))
  const name = text(`factor.${type}`)
  let number = 1
  const numbered = () => (number === 1 ? name : `${name} ${number}`)
  while (names.has(numbered())) number += 1
  return numbered()
}

/** Removes a factor whose enrollment was not completed. */
export async function removeUnused(
  { host, options }: PageRequest,
  { accessToken, user }: Pick<Account, 'accessToken' | 'user'>,
  type: EnrolledType,
): Promise<void> {
  const unused = user.factors.find(
    ({ factorType, status }) => factorType === type && status === 'unverified',
  )
  if (unused) await host.api.unenrollFactor({ accessToken, factorId: unused.id }, options)
}
