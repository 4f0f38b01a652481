import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { hash, verify } from '@node-rs/argon2'
import { Pool } from 'pg'
import { argon2Cost } from '../kit/argon2-cost.ts'
import { databaseUrl, serve } from '../targets/serve.ts'
import { schema } from './schema.ts'
import * as statements from './statements.ts'
import { type Claims, readClaims, readRefreshToken, refreshTokenOf, signClaims } from './tokens.ts'

// The smallest Node server that does the same work: no framework, no checks, no error handling. The
// difference to Latchkey is the cost of everything else.

const pool = new Pool({ connectionString: databaseUrl, max: 10 })
await pool.query(schema)

type Handler = (request: IncomingMessage) => Promise<object | null>

const handlers: Record<string, Handler> = {
  'POST /signup': async (request) => {
    const { email, password } = await readBody(request)
    const sessionId = randomUUID()
    const passwordHash = await hash(password, argon2Cost)
    const rows = await run(statements.signUp(email, passwordHash, sessionId, ...origin(request)))
    return session(rows[0], sessionId, 0)
  },

  'POST /token?grant_type=password': async (request) => {
    const { email, password } = await readBody(request)
    const [found] = await run(statements.findPassword(email))
    if (!found?.password_hash || !(await verify(found.password_hash, password))) return null
    const sessionId = randomUUID()
    await run(statements.openSession(found.user.id, sessionId, ...origin(request)))
    return session(found, sessionId, 0)
  },

  'POST /token?grant_type=refresh_token': async (request) => {
    const token = readRefreshToken((await readBody(request)).refresh_token)
    if (!token) return null
    const { sessionId, counter } = token
    const rows = await run(statements.refresh(sessionId, counter, ...origin(request)))
    return session(rows[0], sessionId, counter + 1)
  },

  'GET /user': async (request) => {
    const claims = callerOf(request)
    if (!claims) return null
    const [row] = await run(statements.findUser(claims.sub, claims.session_id))
    return row?.user ?? null
  },

  'GET /health': async () => ({ name: 'Floor' }),
  'GET /settings': async () => ({ external: { email: true } }),
  'GET /.well-known/jwks.json': async () => ({ keys: [] }),

  'POST /logout': async (request) => {
    const claims = callerOf(request)
    if (!claims) return null
    const [ip] = origin(request)
    const rows = await run(statements.signOut(claims.sub, claims.session_id, ip))
    return rows.length > 0 ? {} : null
  },
}

const answer: RequestListener = async (request, response) => {
  const body = await handlers[`${request.method} ${request.url}`]?.(request)
  const text = JSON.stringify(body ?? { msg: 'refused' })
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  }
  response.writeHead(body ? 200 : 403, headers).end(text)
}

interface Row {
  user: { id: string; email: string; app_metadata: object; user_metadata: object }
  password_hash?: string
}

const run = async (statement: ReturnType<typeof statements.refresh>): Promise<Row[]> =>
  (await pool.query<Row>(statement)).rows

function session(row: Row | undefined, sessionId: string, counter: number): object | null {
  if (!row) return null
  const { id, email, app_metadata, user_metadata } = row.user
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    sub: id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone: '',
    app_metadata,
    user_metadata,
    aal: 'aal1',
    amr: [{ method: 'password', timestamp: now }],
    session_id: sessionId,
    is_anonymous: false,
    exp: now + 3600,
    iat: now,
  }
  return {
    access_token: signClaims(claims),
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: now + 3600,
    refresh_token: refreshTokenOf(sessionId, counter),
    user: row.user,
  }
}

function callerOf({ headers }: IncomingMessage): Claims | null {
  return readClaims(headers.authorization?.slice('Bearer '.length) ?? '')
}

const origin = ({ socket, headers }: IncomingMessage): [string | null, string | null] => [
  socket.remoteAddress ?? null,
  headers['user-agent'] ?? null,
]

async function readBody(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

await serve(answer)
