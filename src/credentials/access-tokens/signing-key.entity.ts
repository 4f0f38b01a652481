import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'

const SigningKeySchema = defineEntity({
  name: 'SigningKey',
  properties: {
    id: p.text().primary(),
    algorithm: p.text(),
    publicJwk: p.json<Record<string, unknown>>(),
    privateJwk: p.text().hidden(),
    signsFrom: p.datetime(),
    retiredAt: p.datetime().nullable(),
    createdAt: p.datetime(),
  },
})

/** A key that Latchkey created to sign access tokens. Its private key is stored encrypted. */
export class SigningKey extends SigningKeySchema.class {}
SigningKeySchema.setClass(SigningKey)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    signing_keys: RowOf<SigningKey>
  }
}
