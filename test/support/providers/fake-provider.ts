import type { ProviderName } from '../../../src/platform/config/provider-names.ts'

/** The user who signs in at a fake provider: Ada Lovelace, with or without an address. */
export interface Person {
  email: string | null
  isVerified: boolean
}

/** The behaviour of a fake provider. */
export interface FakeProvider {
  /** The path of authorization requests below its base. */
  authorize: string
  /** The path of token requests below its base. */
  token: string
  /** The accepted client authentication. Default: any. */
  accepts?: 'basic' | 'body'
  /** True where tokens are returned as a form unless the client accepts JSON. */
  prefersForms?: boolean
  /** Members of the token response beside those of RFC 6749. */
  tokens?(person: Person): Record<string, unknown>
  /** The documents about a user, by path. The query is part of a path that contains one. */
  documents?: Readonly<Record<string, (person: Person) => unknown>>
  /** Required headers, in lower case. Without them it returns 400. */
  requires?: Readonly<Record<string, string>>
  /** Claims of id tokens; none are issued without. */
  claims?(person: Person): Record<string, unknown>
  /**
   * The issuer of id tokens.
   *
   * @param base the base URL of the fake; null for its own hosts.
   */
  issuer?(base: string | null): string
  /** True where it omits the nonce. */
  lacksNonce?: boolean
  /** Members of a callback by form, beside `code` and `state`. */
  formFields?: Readonly<Record<string, string>>
}

export type FakeProviders = Readonly<Record<Exclude<ProviderName, 'twitter'>, FakeProvider>>

export const clientId = 'client'
/** Contains characters that must be escaped in a header. */
export const clientSecret = 'se:cr+et/ %'
export const redirectUri = 'https://app.example.com/auth/callback'
