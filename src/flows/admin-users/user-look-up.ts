/** What a user is looked up by. An identity is an account at a provider, under the provider's own id. */
export type UserLookUp =
  | { id: string }
  | { email: string }
  | { phone: string }
  | { identity: { provider: string; subject: string } }
