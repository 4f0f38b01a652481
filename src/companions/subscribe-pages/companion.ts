import { subscribePages } from '../../../migrations/20261123-subscribe-pages.ts'
import type { Companion } from '../../service/companion-host.ts'
import { personalPagesTables } from './personal-pages.ts'

/** The migrations and personal data tables that the subscription pages register with a service. */
export const pagesCompanion: Companion = {
  /** Migrations, oldest first. A released one is never renamed. */
  migrations: [{ name: '20261123-subscribe-pages', statements: subscribePages }],
  personalTables: personalPagesTables,
}
