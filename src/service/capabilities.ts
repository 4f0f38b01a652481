import type { BuiltInCapability, Capability, OutletNeeds } from '../capabilities/capability.ts'
import { operatorConsole } from '../capabilities/console/capability.ts'
import { customProviders } from '../capabilities/custom-providers/capability.ts'
import { oauthServer } from '../capabilities/oauth-server/capability.ts'
import { pages } from '../capabilities/pages/capability.ts'
import { trustedDevices } from '../capabilities/trusted-devices/capability.ts'
import type { Carriers } from '../delivery/outbox/message.ts'
import type { DescribedPage } from '../endpoints/http/openapi-document.ts'
import type { CapabilityExport } from '../platform/capability-terms.ts'
import type { Config } from '../platform/config/config.ts'
import type { ExportedRow, PersonalTable } from '../platform/sql/personal-table.ts'
import type { AddPages, PagesService } from './api/pages-service.ts'

/**
 * The capabilities of every service, in reading order. Terms and settings are found by their files:
 * see CONTRIBUTING.md.
 */
const registered = [
  trustedDevices,
  oauthServer,
  pages,
  operatorConsole,
  customProviders,
] as const satisfies Capability[]

type Registered = (typeof registered)[number]
type BuiltIn = Extract<Registered, { endpoints: unknown }>

const builtIn = registered.filter((one): one is BuiltIn => 'endpoints' in one)

/** The capabilities with tables or endpoints. Every database has their tables. */
export const builtInCapabilities: readonly BuiltInCapability[] = builtIn

/** A capability that consists of pages, which are loaded where the configuration enables them. */
interface PagesCapability extends Capability {
  /** Its pages, as documents list them. */
  pages?: readonly DescribedPage[]
  isEnabled(config: Config): boolean
  load(): Promise<(service: PagesService) => Promise<AddPages>>
}

/** The capabilities that consist of pages. */
export const pagesCapabilities: readonly PagesCapability[] = registered.filter(
  (one) => 'load' in one,
)

/** The pages of all capabilities, for documents. */
export const capabilityPages = pagesCapabilities.flatMap(({ pages = [] }) => pages)

/** The endpoints of the capabilities, with the type of each. */
export const capabilityEndpoints = builtIn.flatMap<BuiltIn['endpoints'][number]>(
  ({ endpoints }) => endpoints,
)
export const capabilityOperatorEndpoints = builtIn.flatMap<BuiltIn['operatorEndpoints'][number]>(
  ({ operatorEndpoints }) => operatorEndpoints,
)

/** Opens the senders of messages of capabilities. */
export const openOutlets = (needs: OutletNeeds): Partial<Carriers> =>
  Object.assign({}, ...builtInCapabilities.map((one) => one.openOutlets?.(needs)))

type Exported<Table> =
  Table extends PersonalTable<infer Row, infer Columns> ? ExportedRow<Row, Columns> : never

/** Tables and columns of an export that the published types lack. */
type Unpublished<Built> = Built extends { personalTables: infer Tables }
  ? {
      [Name in keyof Tables]: Name extends keyof CapabilityExport
        ? Exclude<keyof Exported<Tables[Name]>, keyof CapabilityExport[Name][number]>
        : Name
    }[keyof Tables]
  : never

/** Does not compile while there is such a name. */
const isPublishedWhole: [Unpublished<BuiltIn>] extends [never] ? true : never = true

/** The tables with personal data of built-in capabilities, by their names in an export. */
export const builtInTables: Readonly<Record<string, PersonalTable>> =
  isPublishedWhole && Object.assign({}, ...builtInCapabilities.map((one) => one.personalTables))

/** The columns of the other tables of built-in capabilities. */
export const builtInColumns: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...builtInCapabilities.map((one) => one.otherColumns ?? {}),
)
