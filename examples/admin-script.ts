// A script of an operator: imports users, looks through all of them, and bans and deletes.
// In a clone, after `npm install`: `npx node --conditions=latchkey-source examples/admin-script.ts`
// From the package, with Node 22.18 or newer and `"type": "module"` in package.json: `npm install latchkey`,
// `cp node_modules/latchkey/examples/admin-script.ts .`, `node admin-script.ts`
import { AuthError, createAuth, type User } from 'latchkey'

const auth = createAuth({
  development: true,
  // Left out: an embedded PostgreSQL, whose data is kept in `.latchkey/`.
  database: process.env.DATABASE_URL,
})

/** Users of another service, with their bcrypt hashes. */
const people = ['ada', 'bea', 'cleo'].map((name) => ({
  email: `${name}@example.com`,
  emailConfirm: true,
  passwordHash: '$2b$10$SXEz2HeT8PUIGQXo9yeUIem8KzNxgG0d7o/.eGj2rj8KbRgAuRVlq',
  userMetadata: { full_name: name },
  appMetadata: { importedBy: 'admin-script' },
}))

for (const person of people) {
  try {
    await auth.admin.createUser(person)
  } catch (error) {
    // Users of an earlier run stay unchanged.
    if (!(error instanceof AuthError && error.code === 'email_exists')) throw error
  }
}

/** Returns all users, page by page. Each page costs the same. */
async function* allUsers(): AsyncGenerator<User> {
  let cursor: string | null = null
  do {
    const page = await auth.admin.listUsers({ limit: 2, order: 'asc', cursor })
    yield* page.users
    cursor = page.nextCursor
  } while (cursor !== null)
}

for await (const user of allUsers()) {
  if (user.appMetadata['importedBy'] === 'admin-script') console.log('Found', user.email)
}

const ada = await auth.admin.findUser({ email: 'ada@example.com' })
if (ada) {
  await auth.admin.banUser(ada.id, { duration: '24h' })
  console.log('Banned', ada.email)
}

const cleo = await auth.admin.findUser({ email: 'cleo@example.com' })
if (cleo) {
  await auth.admin.deleteUser(cleo.id)
  console.log('Deleted', cleo.email)
}

const { entries } = await auth.admin.listAudit({ query: 'author:host', limit: 2 })
for (const { action, user, traits } of entries.toReversed()) {
  console.log('Recorded', action, user?.email ?? traits['user_email'])
}

await auth.close()
