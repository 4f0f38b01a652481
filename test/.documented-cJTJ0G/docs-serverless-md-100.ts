declare const auth: import('latchkey').Auth
const cron = async (request: Request): Promise<Response> => {
  if (request.headers.get('authorization') !== `Bearer ${process.env.CRON_SECRET}`)
    return new Response(null, { status: 401 })
  const { sent, retried, failed, swept, isDone } = await auth.runDueWork({ withinSeconds: 20 })
  return Response.json({ sent, retried, failed, swept, isDone })
}

export {}
