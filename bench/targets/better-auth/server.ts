import { hash, verify } from '@node-rs/argon2'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { Pool } from 'pg'
import { argon2Cost } from '../../kit/argon2-cost.ts'
import { secret } from '../../kit/people.ts'
import { databaseUrl, options, serve } from '../serve.ts'

// The defaults, except where they would change the measurement: all load has one address, so no
// limit per address; nothing is logged or reported.

const argon2 = {
  hash: (password: string) => hash(password, argon2Cost),
  verify: (given: { hash: string; password: string }) => verify(given.hash, given.password),
}

const auth = betterAuth({
  baseURL: 'http://127.0.0.1',
  secret,
  database: new Pool({ connectionString: databaseUrl, max: 10 }),
  emailAndPassword: {
    enabled: true,
    ...(options.includes('argon2') && { password: argon2 }),
  },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
})
const { runMigrations } = await getMigrations(auth.options)
await runMigrations()
await serve(toNodeHandler(auth))
