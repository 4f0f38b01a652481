import { createVerifier, VerifierError } from 'latchkey/verify'

const { verify } = createVerifier({
  issuer: 'https://example.com/auth',
  jwks: 'https://example.com/auth/.well-known/jwks.json',
})

export async function handle(request: Request): Promise<Response> {
  const token = request.headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''
  try {
    const { sub, role } = await verify(token)
    return Response.json({ user: sub, role })
  } catch (error) {
    if (!(error instanceof VerifierError)) throw error
    return new Response(null, { status: error.code === 'bad_jwt' ? 401 : 503 })
  }
}

export {}
