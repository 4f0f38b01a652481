import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Resource } from '@opentelemetry/resources'
import type { ResolvedTelemetry } from '../../config/sections/telemetry.ts'
import { version } from '../../kit/version.ts'
import { loadPackage } from './load-package.ts'

/** Returns the resource attributes of all exported data. */
export async function describeService({
  serviceName,
  resourceAttributes,
}: ResolvedTelemetry): Promise<Resource> {
  const { defaultResource, resourceFromAttributes } = await loadPackage(
    '@opentelemetry/resources',
    'resourceFromAttributes',
  )
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': 'latchkey',
      // Instances export the same metrics: without this id they would overwrite each other's.
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'auth.version': version,
      ...resourceAttributes,
      ...(serviceName !== null && { 'service.name': serviceName }),
    }),
  )
}
