/** Opens the database when the server starts, so that no user waits for it. */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { auth } = await import('./auth')
  await auth.ready()
}
