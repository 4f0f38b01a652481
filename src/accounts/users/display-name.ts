/** An account at a provider, as its provider describes it. */
interface NamedAccount {
  subject: string
  claims: Readonly<Record<string, unknown>>
  /** Default: the claim `email`. */
  email?: string | null
}

const maxNameLength = 100

/**
 * Returns the displayed name of an account at a provider: its email, the name of its user, its user
 * name, or its id.
 */
export function displayNameOf({ subject, claims, email }: NamedAccount): string {
  const names = [email ?? claims['email'], claims['name'], claims['preferred_username'], subject]
  const name = names.find((one) => typeof one === 'string' && one !== '')
  return String(name).slice(0, maxNameLength)
}
