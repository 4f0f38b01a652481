import type { KeyObject } from 'node:crypto'
import type {
  JsonReader,
  ProviderLookUp,
} from '../../../platform/config/sections/provider-definition.ts'
import type { ForeignJwsAlgorithm } from '../../../platform/kit/jws.ts'
import { trustedBy } from './ask-provider.ts'
import { publicKeyReader } from './public-keys.ts'
import {
  type DocumentNeeds,
  documentReader,
  type PublishedDocument,
} from './published-documents.ts'

/** Which keys of an issuer a token may be verified with. */
export interface KeyQuestion {
  /** The issuer whose document it is. */
  issuer: string
  /** Its discovery document. */
  document: JsonReader
  /** As the token names it; null where it names none, and any may be meant. */
  kid: string | null
  algorithm: ForeignJwsAlgorithm
  /** Whether `issuer` of a key, where it has one, is that of the token. Default: not compared. */
  isIssuer?(named: string): boolean
}

/** What issuers publish about themselves. */
export interface Issuers extends ProviderLookUp {
  /** @throws Error when the issuer publishes none, or cannot be asked. */
  findKeys(question: KeyQuestion): Promise<readonly KeyObject[]>
  /** The same, where the keys are newer than those in the cache were: an issuer is asked once a minute at most. */
  findNewKeys(question: KeyQuestion): Promise<readonly KeyObject[]>
}

const rereadAfterMs = 60 * 1000

/** Looks up what issuers publish, from the cache where it is there. */
export function createIssuers(needs: DocumentNeeds): Issuers {
  const readDocument = documentReader(needs)
  const readKeys = publicKeyReader()
  const find = async (question: KeyQuestion, maxAgeMs?: number) =>
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

function keySetOf({ issuer, document }: KeyQuestion): PublishedDocument {
  const url = document.text('jwks_uri')
  if (url === null) throw new Error('the issuer publishes no keys')
  return {
    url,
    trust: trustedBy(issuer, url),
    isValid: (keySet) => keySet.list('keys').length > 0,
  }
}
