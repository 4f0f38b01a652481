import type { User } from '../../../../accounts/users/user.ts'
import type { Answer } from '../../../../platform/http/answer.ts'
import type { Account } from '../../account.ts'
import type { PageFormState } from '../../form-state.ts'
import { type PageRequest, pathTo, redirectTo } from '../../page-request.ts'

export const path = '/account/security'

type EnrolledType = 'totp' | 'phone' | 'email' | 'webauthn'

/** Returns to the page, with a notice. */
export function done(page: PageRequest, notice: PageRequest['pre']['notice']): Answer {
  if (notice) page.pre.notice = notice
  return redirectTo(pathTo(page, path))
}

/** Returns the errors of the fields of a form. */
export const errorsOf = (state: PageFormState, action: string): PageFormState['errors'] =>
  state.action === action ? state.errors : {}

/** Renews the session, whose assurance level may have changed with the factors. */
export async function renewed(page: PageRequest): Promise<void> {
  const { main } = await page.sessions()
  await main.requireUser({ aal: 1 })
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
