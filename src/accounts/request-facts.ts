import type { AuditOperator } from './audit/audit-row.ts'
import type { Decision } from './decisions/decision.ts'

/**
 * Facts about a request, or about a call in code. Facts that few flows need are methods, which
 * compute them on demand. A getter in the literal would cost V8 a hidden class for each request,
 * and each of those keeps its request in memory long after the response.
 */
export interface RequestFacts {
  id: string
  /** The client's address; null where it is unknown. */
  ip: string | null
  /**
   * Returns the narrowest network of the client, or another key that identifies it; null where
   * clients cannot be distinguished. `networksOf` returns the wider networks.
   */
  clientKey(): string | null
  userAgent: string | null
  /** The user on whose behalf code calls a method of operators. */
  operator?: AuditOperator | null
  /** The audience in which users are looked up. */
  audience: string
  /**
   * Returns the base of links in mails: the service's own URL, or a permitted one that a proxy
   * named.
   */
  linkBase(): string
  /** Returns the languages that the client accepts: tags of BCP 47, the preferred ones first. */
  languages(): readonly string[]
  /** Whether code of the host calls a method, without a request over HTTP. */
  isCall?: boolean
  /**
   * Returns whether the response was sent before the work was done, because the work took too long.
   */
  isOver(): boolean
  /**
   * Records a decision for operators that the response does not show: one without a rejection, or
   * with another reason than the error code.
   */
  decided(decision: Decision): void
}
