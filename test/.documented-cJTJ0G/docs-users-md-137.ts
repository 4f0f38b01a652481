declare const auth: import('latchkey').Auth
declare const client: import('pg').Client
await client.query('begin')
const user = await auth.admin.createUser({ email: 'ada@example.com' }, { tx: client })
await client.query('insert into customers (id, plan) values ($1, $2)', [user.id, 'free'])
await client.query('commit')

export {}
