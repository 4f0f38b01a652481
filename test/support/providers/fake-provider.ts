import type { ProviderName } from '../../../src/platform/config/provider-names.ts'

/** Whoever signs in at a fake provider: Ada Lovelace, with or without an address. */
export interface Person {
  email: string | null
  isVerified: boolean
}

/** How a provider is played. */
export interface FakeProvider {
  /** Path below its base where people are sent. */
  authorize: string
  /** Path below its base where codes are traded. */
  token: string
  /** How a client may prove itself. Default: as it likes. */
  accepts?: 'basic' | 'body'
  /** Whether tokens come as a form to who does not ask for JSON. */
  prefersForms?: boolean
  /** Members of its token answer beside those of RFC 6749. */
  tokens?(person: Person): Record<string, unknown>
  /** What it says of a person, by path. The query is part of it where it names one. */
  documents?: Readonly<Record<string, (person: Person) => unknown>>
  /** Headers without which it answers 400, in lower case. */
  requires?: Readonly<Record<string, string>>
  /** Claims of its id tokens; none are issued without. */
  claims?(person: Person): Record<string, unknown>
  /**
   * The issuer of these.
   *
   * @param base where it is played; null in its own hosts.
   */
  issuer?(base: string | null): string
  /** Whether it leaves the nonce out. */
  lacksNonce?: boolean
  /** What comes back in a form, beside `code` and `state`. */
  formFields?: Readonly<Record<string, string>>
}

export type FakeProviders = Readonly<Record<Exclude<ProviderName, 'twitter'>, FakeProvider>>

export const clientId = 'client'
/** With characters that have to be escaped in a header. */
export const clientSecret = 'se:cr+et/ %'
export const redirectUri = 'https://app.example.com/auth/callback'
