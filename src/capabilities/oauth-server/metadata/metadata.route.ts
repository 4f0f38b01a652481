import { implementConstant, implementSeparately } from '../../../endpoints/http/implement.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { setAnswerHeaders } from '../../../platform/http/answer-request.ts'
import { memoize } from '../../../platform/kit/memoize.ts'
import {
  openidConfigurationEndpoint,
  resourceMetadataEndpoint,
  serverMetadataEndpoint,
} from './metadata.endpoint.ts'
import { serverMetadata } from './metadata.ts'

const cached = { 'cache-control': 'public, max-age=600' } as const

export const metadataRoutes = [
  implementConstant(openidConfigurationEndpoint, ({ deps }) => {
    const presented = memoize((_published: object) => ({
      text: JSON.stringify(serverMetadata(deps)),
      headers: cached,
    }))
    return () => presented(deps.keys.published())
  }),
  implementSeparately(serverMetadataEndpoint, {
    handle:
      () =>
      ({ ctx, event }) => {
        setAnswerHeaders(event, cached)
        return serverMetadata(ctx)
      },
  }),
  implementSeparately(resourceMetadataEndpoint, {
    handle:
      () =>
      ({ ctx: { config }, event }) => {
        setAnswerHeaders(event, cached)
        return {
          resource: issuerOf(config),
          authorization_servers: [issuerOf(config)],
          bearer_methods_supported: ['header'],
        }
      },
  }),
] as const
