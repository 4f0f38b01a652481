import type { Endpoint } from '../../http/endpoint.ts'

const status = { method: 'GET', caller: 'anyone', errors: [] } as const

export const healthEndpoint = {
  ...status,
  path: '/health',
  summary: 'Tells whether the service answers. The database is not asked.',
  answers: { 200: 'Health' },
} as const satisfies Endpoint

export const readyEndpoint = {
  ...status,
  path: '/ready',
  summary: 'Tells whether requests can be served: database, migrations and keys are looked at.',
  answers: { 200: 'Readiness' },
} as const satisfies Endpoint

export const settingsEndpoint = {
  ...status,
  path: '/settings',
  summary: 'Tells what a sign-in page needs to know.',
  answers: { 200: 'Settings' },
} as const satisfies Endpoint

export const jwksEndpoint = {
  ...status,
  path: '/.well-known/jwks.json',
  summary: 'Tells the keys that access tokens verify with.',
  answers: { 200: 'KeySet' },
} as const satisfies Endpoint

export const openidConfigurationEndpoint = {
  ...status,
  path: '/.well-known/openid-configuration',
  summary: 'Tells who issues access tokens, and what verifies them.',
  answers: { 200: 'IssuerMetadata' },
} as const satisfies Endpoint
