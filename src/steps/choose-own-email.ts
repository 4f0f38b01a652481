import type { AuthContext } from '../deps.ts'
import { chooseEmail, type EmailChoice, emailOf } from '../users/choose-email.ts'
import { findTakenEmails } from '../users/find-taken-emails.sql.ts'
import type { Identity } from '../users/user.ts'

/** The address that a user is to have by these identities; null where others have all of them. */
export async function chooseOwnEmail(
  { sql, config }: AuthContext,
  userId: string,
  identities: readonly Identity[],
): Promise<EmailChoice | null> {
  const { autoconfirm } = config.email
  const emails = identities
    .map((identity) => emailOf(identity, autoconfirm).email)
    .filter((email) => email !== null)
  const taken = emails.length > 0 ? await findTakenEmails(sql, userId, emails) : []
  return chooseEmail(identities, { taken, autoconfirm })
}
