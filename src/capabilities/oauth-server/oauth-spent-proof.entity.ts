import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const OauthSpentProofSchema = defineEntity({
  name: 'OauthSpentProof',
  properties: {
    proofHash: p.string().length(64).primary(),
    expiresAt: p.datetime().index(),
  },
})

/**
 * A signed proof of a client that was used, and is not accepted again. @see RFC 7523 §3, RFC 9449
 * §11.1
 */
class OauthSpentProof extends OauthSpentProofSchema.class {}
OauthSpentProofSchema.setClass(OauthSpentProof)

export { OauthSpentProof as OauthSpentProofEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    oauth_spent_proofs: RowOf<OauthSpentProof>
  }
}
