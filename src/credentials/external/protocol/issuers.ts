import type { KeyObject } from 'node:crypto'
import type {
  JsonReader,
  ProviderLookUp,
} from '../../../platform/config/sections/provider-definition.ts'
import type { ForeignJwsAlgorithm } from '../../../platform/kit/jws.ts'
import { publicKeyReader } from './public-keys.ts'
import {
  type DocumentNeeds,
  documentReader,
  type PublishedDocument,
} from './published-documents.ts'
import { trustedBy } from './request-provider.ts'

/** The selection of an issuer's keys that may verify a token. */
export interface KeyQuery {
  /** The issuer of the document. */
  issuer: string
  /** The issuer's discovery document. */
  document: JsonReader
  /** The `kid` of the token; null where it has none, so that any key may verify it. */
  kid: string | null
  algorithm: ForeignJwsAlgorithm
  /** Returns whether the `issuer` member of a key is that of the token. Default: not compared. */
  isIssuer?(named: string): boolean
}

/** The documents that issuers publish. */
export interface Issuers extends ProviderLookUp {
  /** @throws Error when the issuer publishes no keys, or does not respond. */
  findKeys(question: KeyQuery): Promise<readonly KeyObject[]>
  /**
   * Returns keys that are newer than the cached ones. An issuer receives one request per minute at
   * most.
   */
  findNewKeys(question: KeyQuery): Promise<readonly KeyObject[]>
}

const rereadAfterMs = 60 * 1000

/** Creates a reader of published documents that caches them. */
export function createIssuers(needs: DocumentNeeds): Issuers {
  const readDocument = documentReader(needs)
  const readKeys = publicKeyReader()
  const find = async (question: KeyQuery, maxAgeMs?: number) =>
    readKeys(await readDocument(keySetOf(question), maxAgeMs), question)
  return {
    discover: async (issuer, isAlias) => readDocument(discoveryDocument(issuer, isAlias)),
    findKeys: (question) => find(question),
    findNewKeys: (question) => find(question, rereadAfterMs),
  }
}

/** @see OpenID Connect Discovery 1.0 §4 */
function discoveryDocument(
  issuer: string,
  isAlias: (named: string) => boolean = () => false,
): PublishedDocument {
  const url = URL.parse(issuer)
  if (url?.search !== '' || url.hash !== '') throw new Error('the issuer is no URL')
  return {
    url: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    trust: 'operator',
    isValid: (document) => {
      const named = document.text('issuer')
      return named !== null && (named === issuer || isAlias(named))
    },
  }
}

function keySetOf({ issuer, document }: KeyQuery): PublishedDocument {
  const url = document.text('jwks_uri')
  if (url === null) throw new Error('the issuer publishes no keys')
  return {
    url,
    trust: trustedBy(issuer, url),
    isValid: (keySet) => keySet.list('keys').length > 0,
  }
}
