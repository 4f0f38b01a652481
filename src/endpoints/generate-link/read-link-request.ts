import type { AuthContext } from '../../accounts/auth-context.ts'
import { requireNewUserMetadataFits } from '../../accounts/lifecycle/new-user-with-address.ts'
import { type Address, readEmail } from '../../accounts/users/addresses.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import {
  type GeneratedLinkType,
  type GenerateLinkInput,
  generatedLinkTypes,
} from './generate-link.endpoint.ts'

export interface LinkRequest {
  type: GeneratedLinkType
  address: Address
  newEmail: string | null
  password: string | null
  data: Record<string, unknown>
  redirectTo: string
  sendEmail: boolean
}

/** Reads a request for a link. The wire specifies the order of the errors. */
export function readLinkRequest(
  ctx: AuthContext,
  input: Unvalidated<GenerateLinkInput>,
): LinkRequest {
  const address = readEmail(input.email ?? '')
  const type = generatedLinkTypes.find((one) => one === input.type)
  if (!type) throw validationFailed('type: Invalid email action link type requested')
  const data = input.data ?? {}
  requireNewUserMetadataFits(ctx, address, data)
  const isChange = type === 'email_change_current' || type === 'email_change_new'
  if (type === 'email_change_current' && !ctx.config.email.secureChangeEnabled) {
    throw validationFailed('type: Enable secure email change to generate link for current email')
  }
  return {
    type,
    address,
    data,
    newEmail: isChange ? readNewEmail(input.newEmail) : null,
    password: input.password || null,
    redirectTo: allowedRedirect(ctx, input.redirect ?? {}),
    sendEmail: input.sendEmail ?? false,
  }
}

function readNewEmail(newEmail = ''): string {
  try {
    return readEmail(newEmail).value
  } catch {
    throw validationFailed('new_email: has to be an email address')
  }
}
