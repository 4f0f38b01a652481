import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'
import type { ExplainedDecision } from './decisions.sql.ts'

/** Builds the wire form of a decision. The request is that of the query. */
export const presentDecision = ({ decidedAt, requestId: _, ...decision }: ExplainedDecision) => ({
  decided_at: decidedAt,
  ...decision,
})

export const decisionSchema = {
  type: 'object',
  properties: {
    decided_at: instant,
    endpoint: { type: 'string' },
    status: { type: 'integer' },
    kind: { enum: ['limit', 'redirect', 'reuse', 'policy', 'hook', 'link', 'check', 'fault'] },
    rule: {
      type: 'string',
      description: 'The error code, the limit, the name of the hook, or of a redirect the reason.',
    },
    meaning: { type: 'string', description: 'For people; it changes between versions.' },
  },
  required: ['decided_at', 'endpoint', 'status', 'kind', 'rule', 'meaning'],
  additionalProperties: false,
} as const satisfies JsonSchema
