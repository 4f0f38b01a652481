declare const auth: import('latchkey').Auth
const invoices = auth.protectedResource({
  resource: 'https://api.example.com/invoices',
  scopes: ['invoice:read'],
})

export async function handle(request: Request): Promise<Response> {
  const access = await invoices.protect(request)
  if (access instanceof Response) return access
  return Response.json({ invoicesOf: access.userId })
}

export {}
