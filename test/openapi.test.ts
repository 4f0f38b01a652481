import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/endpoints/http/openapi-document.ts'
import { createEndpoints } from '../src/service/create-app.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

const document = openApiDocument(endpoints, { version: '0.0.0', basePath: '/auth' })

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))

    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  it('contains each operation once, by its method and path', () => {
    const operations = Object.values(document['paths'] as Record<string, object>)
    const ids = operations.flatMap((path) => Object.values(path).map((one) => one.operationId))

    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(['postToken', 'getAdminUsersByUserId']))
    expect(ids.filter((id) => !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
  })
})

describe('the descriptions of endpoints', () => {
  let auth: TestAuth
  beforeAll(async () => {
    auth = await startTestAuth({ security: { ownDeletionEnabled: true } })
  })
  afterAll(() => auth.close())

  it('match the existing routes, in order', async () => {
    const routes = createEndpoints(await auth.deps())['~routes']
    const registered = routes.flatMap(({ method, route }) =>
      method && method !== 'HEAD' && route ? [`${method} ${route}`] : [],
    )
    const described = endpoints.map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    )

    expect([...new Set(described)]).toEqual(registered)
  })
})
