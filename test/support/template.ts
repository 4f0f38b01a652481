import { createAuth } from '../../src/index.ts'
import { testSecret } from './test-auth.ts'

/** Migrates an empty database to the newest schema, for clones. */
export async function migrateTemplate(url: string): Promise<void> {
  const auth = createAuth({
    logger: false,
    siteUrl: 'https://app.example.test',
    database: url,
    jwt: { secret: testSecret },
    email: { autoconfirm: true },
  })
  await auth.ready()
  await auth.close()
}
