declare const auth: import('latchkey').Auth
import { createSubscribePages } from 'latchkey/subscribe-pages'

const { lists } = createSubscribePages({ auth })
const list = await lists.create({ name: 'Release notes', description: 'Once a month', public: true })
await lists.update(list.id, { listPosition: 1 }) // null where there is no such list
const all = await lists.list()
await lists.remove(list.id) // false where there is no such list

export {}
