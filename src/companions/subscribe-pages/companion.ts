import { subscribePages } from '../../../migrations/20261123-subscribe-pages.ts'
import type { Companion } from '../../service/companion-host.ts'
import { personalPagesTables } from './personal-pages.ts'

/** What the subscription pages bring into the house of a service. */
export const pagesCompanion: Companion = {
  /** Oldest first. A name once released is never changed. */
  migrations: [{ name: '20261123-subscribe-pages', statements: subscribePages }],
  personalTables: personalPagesTables,
}
