import { Validator } from '@seriousme/openapi-schema-validator'
import { H3 } from 'h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../src/endpoints/http/openapi-document.ts'
import { capabilityPages } from '../src/service/capabilities.ts'
import { createEndpoints, serviceOf } from '../src/service/create-app.ts'
import { endpoints } from '../src/service/endpoints.ts'
import { openServicePages } from '../src/service/pages/open-service-pages.ts'
import { asOauthServer } from './support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

const withPages = { pages: { enabled: true } }

const document = openApiDocument(endpoints, {
  version: '0.0.0',
  basePath: '/auth',
  pages: capabilityPages,
})

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

describe('the descriptions of pages', () => {
  it('match the routes of the pages, as HTML', async () => {
    const paths = document['paths'] as Record<string, Record<string, { responses: object }>>
    const auth = await startTestAuth({
      ...withPages,
      ...asOauthServer,
      oauthServer: { ...asOauthServer.oauthServer, deviceFlow: { enabled: true } },
      siteUrl: 'https://app.example.test',
    })
    const add = await openServicePages({
      deps: await auth.deps(),
      api: auth.auth.api,
      answer: () => Promise.reject(new Error('not used')),
    } as unknown as Parameters<typeof openServicePages>[0])
    const routes = new H3()
    const unused = () => {
      throw new Error('not used')
    }
    add(routes, { confirmLink: unused, confirmLinking: unused, error: null })
    const missing = capabilityPages.filter(
      ({ path, hasForms }) =>
        !routes['~routes'].some(({ route, method }) => route === path && method === 'GET') ||
        hasForms !==
          routes['~routes'].some(({ route, method }) => route === path && method === 'POST'),
    )
    await auth.close()

    expect(missing).toEqual([])
    expect(capabilityPages.length).toBeGreaterThanOrEqual(13)
    for (const { path } of capabilityPages)
      expect(paths[path]?.['get']?.responses).toMatchObject({
        '200': { content: { 'text/html': {} } },
      })
  })
})

describe('the descriptions of endpoints', () => {
  let auth: TestAuth
  beforeAll(async () => {
    auth = await startTestAuth({ security: { ownDeletionEnabled: true } })
  })
  afterAll(() => auth.close())

  it('match the existing routes, in order', async () => {
    const routes = createEndpoints(serviceOf(await auth.deps()))['~routes']
    const registered = routes.flatMap(({ method, route }) =>
      method && method !== 'HEAD' && route ? [`${method} ${route}`] : [],
    )
    const described = endpoints.map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    )

    expect([...new Set(described)]).toEqual(registered)
  })
})
