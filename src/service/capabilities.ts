import type { Capability } from '../capabilities/capability.ts'
import { subscribePages } from '../capabilities/subscribe-pages/capability.ts'

/** The capabilities that an application enables when it creates them. Their tables are created then. */
export const optionalCapabilities: readonly Capability[] = [subscribePages]
