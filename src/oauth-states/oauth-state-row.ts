import type { RowOf } from '../sql/row-of.ts'
import type { OauthState } from './oauth-state.entity.ts'

/** A state as PostgreSQL writes it in JSON. */
export type OauthStateRow = RowOf<OauthState>
