import type { ExportedEntry } from '../../audit/personal-entries.ts'
import type { ExportedRow, PersonalTable } from '../../sql/personal-table.ts'
import type { personalTables } from '../../steps/personal-tables.ts'

type Tables = typeof personalTables

type Rows<Name extends keyof Tables> =
  Tables[Name] extends PersonalTable<infer Row, infer Columns> ? ExportedRow<Row, Columns>[] : never

/**
 * Everything that is stored about a person: plain JSON, with instants in ISO 8601. Left out are hashes of
 * secrets, and what messages say, which is sealed.
 */
export interface ExportedPerson {
  exportedAt: string
  /** Null for somebody who was deleted: then there may be entries of the audit log. */
  user: Rows<'users'>[number] | null
  identities: Rows<'identities'>
  /** That the person came from another service. */
  imports: Rows<'imports'>
  sessions: Rows<'sessions'>
  /** Which sessions a token of the other service still renews. */
  importedTokens: Rows<'importedTokens'>
  factors: Rows<'factors'>
  /** Attempts of the last day to prove a factor. */
  challenges: Rows<'challenges'>
  /** Links and codes that were sent and not used. */
  oneTimeTokens: Rows<'oneTimeTokens'>
  /** Codes that links ended in, and that no session was fetched with. */
  authorizationCodes: Rows<'authorizationCodes'>
  /** Messages of the last week. */
  messages: Rows<'messages'>
  /** Passwords that were tried for the person's addresses in the last day, by whomever. */
  passwordAttempts: Rows<'passwordAttempts'>
  /** Intervals between messages, and codes that were tried. */
  limits: Rows<'limits'>
  /** What the person did, and what was done to them. */
  auditEntries: ExportedEntry[]
}
