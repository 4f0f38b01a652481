declare const auth: import('latchkey').Auth
export async function signUp(request: Request) {
  const form = await request.formData()
  const input = { email: String(form.get('email')), password: String(form.get('password')) }
  return auth.api.signUp(input, auth.callOptions(request))
}

export {}
